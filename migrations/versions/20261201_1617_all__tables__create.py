"""The first tables: people, banks, attempts, measurements."""

import sqlalchemy as sa
from alembic import op
from sqlalchemy.dialects.postgresql import JSONB

JSON = sa.JSON().with_variant(JSONB(), "postgresql")

revision = "d42e5e85c388"
down_revision = None
branch_labels = None
depends_on = None


def upgrade() -> None:
    op.create_table(
        "bank",
        sa.Column("id", sa.Integer(), nullable=False),
        sa.Column("slug", sa.String(length=80), nullable=False),
        sa.Column("title", sa.String(length=200), nullable=False),
        sa.Column("created_at", sa.DateTime(timezone=True), nullable=False),
        sa.PrimaryKeyConstraint("id", name=op.f("pk_bank")),
        sa.UniqueConstraint("slug", name=op.f("uq_bank_slug")),
    )
    op.create_table(
        "guide",
        sa.Column("id", sa.Integer(), nullable=False),
        sa.Column("slug", sa.String(length=80), nullable=False),
        sa.Column("created_at", sa.DateTime(timezone=True), nullable=False),
        sa.PrimaryKeyConstraint("id", name=op.f("pk_guide")),
        sa.UniqueConstraint("slug", name=op.f("uq_guide_slug")),
    )
    op.create_table(
        "measurement",
        sa.Column("id", sa.Integer(), nullable=False),
        sa.Column("run_id", sa.String(), nullable=False),
        sa.Column("demo_id", sa.String(), nullable=False),
        sa.Column("params_hash", sa.String(), nullable=False),
        sa.Column("params", sa.JSON(), nullable=False),
        sa.Column("device_class", sa.String(), nullable=False),
        sa.Column("device_name", sa.String(), nullable=False),
        sa.Column("software", sa.String(), nullable=False),
        sa.Column("host", sa.String(), nullable=False),
        sa.Column("result", sa.JSON(), nullable=False),
        sa.Column("measured_at", sa.DateTime(timezone=True), nullable=False),
        sa.PrimaryKeyConstraint("id", name=op.f("pk_measurement")),
        sa.UniqueConstraint("run_id", name=op.f("uq_measurement_run_id")),
    )
    with op.batch_alter_table("measurement", schema=None) as batch_op:
        batch_op.create_index(
            "ix_measurement_newest", ["demo_id", "params_hash", "measured_at"], unique=False
        )

    op.create_table(
        "rate_limit",
        sa.Column("name", sa.String(), nullable=False),
        sa.Column("whole_at", sa.DateTime(timezone=True), nullable=False),
        sa.PrimaryKeyConstraint("name", name=op.f("pk_rate_limit")),
    )
    op.create_table(
        "user_account",
        sa.Column("id", sa.Integer(), nullable=False),
        sa.Column("public_id", sa.String(length=64), nullable=False),
        sa.Column("role", sa.String(length=16), nullable=False),
        sa.Column("created_at", sa.DateTime(timezone=True), nullable=False),
        sa.PrimaryKeyConstraint("id", name=op.f("pk_user_account")),
        sa.UniqueConstraint("public_id", name=op.f("uq_user_account_public_id")),
    )
    op.create_table(
        "worker",
        sa.Column("executor_id", sa.String(), nullable=False),
        sa.Column("device_class", sa.String(), nullable=False),
        sa.Column("device_name", sa.String(), nullable=False),
        sa.Column("software", sa.String(), nullable=False),
        sa.Column("host", sa.String(), nullable=False),
        sa.Column("started_at", sa.DateTime(timezone=True), nullable=False),
        sa.Column("heartbeat_at", sa.DateTime(timezone=True), nullable=False),
        sa.PrimaryKeyConstraint("executor_id", name=op.f("pk_worker")),
    )
    op.create_table(
        "guide_revision",
        sa.Column("id", sa.Integer(), nullable=False),
        sa.Column("guide_id", sa.Integer(), nullable=False),
        sa.Column("number", sa.Integer(), nullable=False),
        sa.Column("content_hash", sa.String(length=64), nullable=False),
        sa.Column("created_at", sa.DateTime(timezone=True), nullable=False),
        sa.ForeignKeyConstraint(["guide_id"], ["guide.id"], name=op.f("fk_guide_revision_guide_id_guide")),
        sa.PrimaryKeyConstraint("id", name=op.f("pk_guide_revision")),
        sa.UniqueConstraint("guide_id", "number", name=op.f("uq_guide_revision_guide_id_number")),
    )
    op.create_table(
        "item",
        sa.Column("id", sa.Integer(), nullable=False),
        sa.Column("bank_id", sa.Integer(), nullable=False),
        sa.Column("slug", sa.String(length=80), nullable=False),
        sa.Column("created_at", sa.DateTime(timezone=True), nullable=False),
        sa.ForeignKeyConstraint(["bank_id"], ["bank.id"], name=op.f("fk_item_bank_id_bank")),
        sa.PrimaryKeyConstraint("id", name=op.f("pk_item")),
        sa.UniqueConstraint("bank_id", "slug", name=op.f("uq_item_bank_id_slug")),
    )
    op.create_table(
        "quiz",
        sa.Column("id", sa.Integer(), nullable=False),
        sa.Column("slug", sa.String(length=80), nullable=False),
        sa.Column("bank_id", sa.Integer(), nullable=False),
        sa.Column("created_at", sa.DateTime(timezone=True), nullable=False),
        sa.ForeignKeyConstraint(["bank_id"], ["bank.id"], name=op.f("fk_quiz_bank_id_bank")),
        sa.PrimaryKeyConstraint("id", name=op.f("pk_quiz")),
        sa.UniqueConstraint("slug", name=op.f("uq_quiz_slug")),
    )
    op.create_table(
        "guide_text",
        sa.Column("id", sa.Integer(), nullable=False),
        sa.Column("revision_id", sa.Integer(), nullable=False),
        sa.Column("locale", sa.String(length=8), nullable=False),
        sa.Column("title", sa.String(length=300), nullable=False),
        sa.Column("body", sa.Text(), nullable=False),
        sa.ForeignKeyConstraint(
            ["revision_id"], ["guide_revision.id"], name=op.f("fk_guide_text_revision_id_guide_revision")
        ),
        sa.PrimaryKeyConstraint("id", name=op.f("pk_guide_text")),
        sa.UniqueConstraint("revision_id", "locale", name=op.f("uq_guide_text_revision_id_locale")),
    )
    op.create_table(
        "item_revision",
        sa.Column("id", sa.Integer(), nullable=False),
        sa.Column("item_id", sa.Integer(), nullable=False),
        sa.Column("number", sa.Integer(), nullable=False),
        sa.Column("type", sa.String(length=32), nullable=False),
        sa.Column("key", JSON, nullable=False),
        sa.Column("options", JSON, nullable=False),
        sa.Column("evidence", JSON, nullable=True),
        sa.Column("refutations", JSON, nullable=False),
        sa.Column("content_hash", sa.String(length=64), nullable=False),
        sa.Column("created_at", sa.DateTime(timezone=True), nullable=False),
        sa.ForeignKeyConstraint(["item_id"], ["item.id"], name=op.f("fk_item_revision_item_id_item")),
        sa.PrimaryKeyConstraint("id", name=op.f("pk_item_revision")),
        sa.UniqueConstraint("item_id", "number", name=op.f("uq_item_revision_item_id_number")),
    )
    op.create_table(
        "quiz_revision",
        sa.Column("id", sa.Integer(), nullable=False),
        sa.Column("quiz_id", sa.Integer(), nullable=False),
        sa.Column("number", sa.Integer(), nullable=False),
        sa.Column("level", sa.String(length=16), nullable=False),
        sa.Column("guide_revision_id", sa.Integer(), nullable=True),
        sa.Column("content_hash", sa.String(length=64), nullable=False),
        sa.Column("created_at", sa.DateTime(timezone=True), nullable=False),
        sa.ForeignKeyConstraint(
            ["guide_revision_id"],
            ["guide_revision.id"],
            name=op.f("fk_quiz_revision_guide_revision_id_guide_revision"),
        ),
        sa.ForeignKeyConstraint(["quiz_id"], ["quiz.id"], name=op.f("fk_quiz_revision_quiz_id_quiz")),
        sa.PrimaryKeyConstraint("id", name=op.f("pk_quiz_revision")),
        sa.UniqueConstraint("quiz_id", "number", name=op.f("uq_quiz_revision_quiz_id_number")),
    )
    op.create_table(
        "attempt",
        sa.Column("id", sa.Integer(), nullable=False),
        sa.Column("public_id", sa.String(length=32), nullable=False),
        sa.Column("user_id", sa.Integer(), nullable=False),
        sa.Column("quiz_id", sa.Integer(), nullable=False),
        sa.Column("quiz_revision_id", sa.Integer(), nullable=False),
        sa.Column("locale", sa.String(length=8), nullable=False),
        sa.Column("shown_options", JSON, nullable=False),
        sa.Column("started_at", sa.DateTime(timezone=True), nullable=False),
        sa.Column("finished_at", sa.DateTime(timezone=True), nullable=True),
        sa.Column("score", sa.Double(), nullable=False),
        sa.Column("max_score", sa.Double(), nullable=False),
        sa.ForeignKeyConstraint(["quiz_id"], ["quiz.id"], name=op.f("fk_attempt_quiz_id_quiz")),
        sa.ForeignKeyConstraint(
            ["quiz_revision_id"], ["quiz_revision.id"], name=op.f("fk_attempt_quiz_revision_id_quiz_revision")
        ),
        sa.ForeignKeyConstraint(
            ["user_id"], ["user_account.id"], name=op.f("fk_attempt_user_id_user_account")
        ),
        sa.PrimaryKeyConstraint("id", name=op.f("pk_attempt")),
        sa.UniqueConstraint("public_id", name=op.f("uq_attempt_public_id")),
    )
    with op.batch_alter_table("attempt", schema=None) as batch_op:
        batch_op.create_index(batch_op.f("ix_attempt_quiz_id"), ["quiz_id"], unique=False)
        batch_op.create_index("ix_attempt_user_id_started_at", ["user_id", "started_at"], unique=False)

    op.create_table(
        "item_text",
        sa.Column("id", sa.Integer(), nullable=False),
        sa.Column("revision_id", sa.Integer(), nullable=False),
        sa.Column("locale", sa.String(length=8), nullable=False),
        sa.Column("status", sa.String(length=16), nullable=False),
        sa.Column("stem", sa.Text(), nullable=False),
        sa.Column("explanation", sa.Text(), nullable=False),
        sa.Column("options", JSON, nullable=False),
        sa.Column("version", sa.Integer(), nullable=False),
        sa.ForeignKeyConstraint(
            ["revision_id"], ["item_revision.id"], name=op.f("fk_item_text_revision_id_item_revision")
        ),
        sa.PrimaryKeyConstraint("id", name=op.f("pk_item_text")),
        sa.UniqueConstraint("revision_id", "locale", name=op.f("uq_item_text_revision_id_locale")),
    )
    op.create_table(
        "quiz_item",
        sa.Column("id", sa.Integer(), nullable=False),
        sa.Column("quiz_revision_id", sa.Integer(), nullable=False),
        sa.Column("item_revision_id", sa.Integer(), nullable=False),
        sa.Column("position", sa.Integer(), nullable=False),
        sa.ForeignKeyConstraint(
            ["item_revision_id"],
            ["item_revision.id"],
            name=op.f("fk_quiz_item_item_revision_id_item_revision"),
        ),
        sa.ForeignKeyConstraint(
            ["quiz_revision_id"],
            ["quiz_revision.id"],
            name=op.f("fk_quiz_item_quiz_revision_id_quiz_revision"),
        ),
        sa.PrimaryKeyConstraint("id", name=op.f("pk_quiz_item")),
        sa.UniqueConstraint(
            "quiz_revision_id", "position", name=op.f("uq_quiz_item_quiz_revision_id_position")
        ),
    )
    op.create_table(
        "quiz_text",
        sa.Column("id", sa.Integer(), nullable=False),
        sa.Column("revision_id", sa.Integer(), nullable=False),
        sa.Column("locale", sa.String(length=8), nullable=False),
        sa.Column("title", sa.String(length=300), nullable=False),
        sa.Column("description", sa.Text(), nullable=False),
        sa.ForeignKeyConstraint(
            ["revision_id"], ["quiz_revision.id"], name=op.f("fk_quiz_text_revision_id_quiz_revision")
        ),
        sa.PrimaryKeyConstraint("id", name=op.f("pk_quiz_text")),
        sa.UniqueConstraint("revision_id", "locale", name=op.f("uq_quiz_text_revision_id_locale")),
    )
    op.create_table(
        "response",
        sa.Column("id", sa.Integer(), nullable=False),
        sa.Column("attempt_id", sa.Integer(), nullable=False),
        sa.Column("item_id", sa.Integer(), nullable=False),
        sa.Column("item_revision_id", sa.Integer(), nullable=False),
        sa.Column("position", sa.Integer(), nullable=False),
        sa.Column("locale", sa.String(length=8), nullable=False),
        sa.Column("chosen", JSON, nullable=False),
        sa.Column("score", sa.Double(), nullable=False),
        sa.Column("answered_at", sa.DateTime(timezone=True), nullable=False),
        sa.ForeignKeyConstraint(["attempt_id"], ["attempt.id"], name=op.f("fk_response_attempt_id_attempt")),
        sa.ForeignKeyConstraint(["item_id"], ["item.id"], name=op.f("fk_response_item_id_item")),
        sa.ForeignKeyConstraint(
            ["item_revision_id"],
            ["item_revision.id"],
            name=op.f("fk_response_item_revision_id_item_revision"),
        ),
        sa.PrimaryKeyConstraint("id", name=op.f("pk_response")),
        sa.UniqueConstraint("attempt_id", "item_id", name=op.f("uq_response_attempt_id_item_id")),
    )
    with op.batch_alter_table("response", schema=None) as batch_op:
        batch_op.create_index(batch_op.f("ix_response_item_revision_id"), ["item_revision_id"], unique=False)


def downgrade() -> None:
    with op.batch_alter_table("response", schema=None) as batch_op:
        batch_op.drop_index(batch_op.f("ix_response_item_revision_id"))

    op.drop_table("response")
    op.drop_table("quiz_text")
    op.drop_table("quiz_item")
    op.drop_table("item_text")
    with op.batch_alter_table("attempt", schema=None) as batch_op:
        batch_op.drop_index("ix_attempt_user_id_started_at")
        batch_op.drop_index(batch_op.f("ix_attempt_quiz_id"))

    op.drop_table("attempt")
    op.drop_table("quiz_revision")
    op.drop_table("item_revision")
    op.drop_table("guide_text")
    op.drop_table("quiz")
    op.drop_table("item")
    op.drop_table("guide_revision")
    op.drop_table("worker")
    op.drop_table("user_account")
    op.drop_table("rate_limit")
    with op.batch_alter_table("measurement", schema=None) as batch_op:
        batch_op.drop_index("ix_measurement_newest")

    op.drop_table("measurement")
    op.drop_table("guide")
    op.drop_table("bank")
