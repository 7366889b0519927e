"""Search: one table of documents on both databases, and over its terms FTS5 on SQLite, GIN on PostgreSQL."""

import sqlalchemy as sa
from alembic import op

revision = "5e1a9c0b7d36"
down_revision = "c1f0a5d2e7b4"
branch_labels = None
depends_on = None

# Terms are cut and folded before they come here, so each index takes what stands between spaces as it is.
_FTS5 = """
CREATE VIRTUAL TABLE search_index USING fts5(
    terms, content='search_document', content_rowid='id', detail='none', columnsize=0,
    tokenize="unicode61 remove_diacritics 0 categories 'L* M* N* P* S* Co'"
)
"""
_TRIGGERS = {
    "insert": "INSERT INTO search_index(rowid, terms) VALUES (new.id, new.terms);",
    "delete": "INSERT INTO search_index(search_index, rowid, terms) VALUES ('delete', old.id, old.terms);",
    "update": "INSERT INTO search_index(search_index, rowid, terms) VALUES ('delete', old.id, old.terms); "
    "INSERT INTO search_index(rowid, terms) VALUES (new.id, new.terms);",
}


def upgrade() -> None:
    op.create_table(
        "search_document",
        sa.Column("id", sa.Integer(), nullable=False),
        sa.Column("quiz_id", sa.Integer(), nullable=False),
        sa.Column("revision_id", sa.Integer(), nullable=False),
        sa.Column("format", sa.Integer(), nullable=False),
        sa.Column("kind", sa.String(length=16), nullable=False),
        sa.Column("locale", sa.String(length=8), nullable=False),
        sa.Column("anchor", sa.Text(), nullable=False),
        sa.Column("title", sa.Text(), nullable=False),
        sa.Column("within", sa.Text(), nullable=False),
        sa.Column("text", sa.Text(), nullable=False),
        sa.Column("terms", sa.Text(), nullable=False),
        sa.Column("plain", sa.Text(), nullable=False),
        sa.Column("marked", sa.Text(), nullable=False),
        sa.ForeignKeyConstraint(["quiz_id"], ["quiz.id"], name=op.f("fk_search_document_quiz_id_quiz")),
        sa.ForeignKeyConstraint(
            ["revision_id"], ["quiz_revision.id"], name=op.f("fk_search_document_revision_id_quiz_revision")
        ),
        sa.PrimaryKeyConstraint("id", name=op.f("pk_search_document")),
    )
    op.create_index(op.f("ix_search_document_quiz_id"), "search_document", ["quiz_id"])
    if op.get_bind().dialect.name == "postgresql":
        op.execute(
            "ALTER TABLE search_document ADD COLUMN search_vector tsvector "
            "GENERATED ALWAYS AS (array_to_tsvector(string_to_array(terms, ' '))) STORED"
        )
        op.execute("CREATE INDEX search_index ON search_document USING gin (search_vector)")
        return
    op.execute(_FTS5)
    for change, statement in _TRIGGERS.items():
        op.execute(
            f"CREATE TRIGGER search_document_{change} AFTER {change.upper()} ON search_document "
            f"BEGIN {statement} END"
        )


def downgrade() -> None:
    if op.get_bind().dialect.name == "sqlite":
        op.execute("DROP TABLE search_index")
    op.drop_table("search_document")
