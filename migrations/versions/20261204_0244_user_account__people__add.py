"""People: accounts, sessions, one-time links, classes, and the audit log, which the database keeps append-only."""

import sqlalchemy as sa
from alembic import op
from sqlalchemy.dialects.postgresql import JSONB

JSON = sa.JSON().with_variant(JSONB(), "postgresql")

revision = "c1f0a5d2e7b4"
down_revision = "d42e5e85c388"
branch_labels = None
depends_on = None


def upgrade() -> None:
    op.create_table(
        "audit_entry",
        sa.Column("id", sa.Integer(), nullable=False),
        sa.Column("at", sa.DateTime(timezone=True), nullable=False),
        sa.Column("actor_id", sa.Integer(), nullable=True),
        sa.Column("action", sa.String(length=64), nullable=False),
        sa.Column("subject_kind", sa.String(length=32), nullable=False),
        sa.Column("subject_id", sa.String(length=80), nullable=False),
        sa.Column("before", JSON, nullable=True),
        sa.Column("after", JSON, nullable=True),
        sa.Column("reason", sa.String(length=500), nullable=True),
        sa.Column("address", sa.String(length=64), nullable=False),
        sa.ForeignKeyConstraint(
            ["actor_id"], ["user_account.id"], name=op.f("fk_audit_entry_actor_id_user_account")
        ),
        sa.PrimaryKeyConstraint("id", name=op.f("pk_audit_entry")),
    )
    with op.batch_alter_table("audit_entry", schema=None) as batch_op:
        batch_op.create_index(batch_op.f("ix_audit_entry_actor_id"), ["actor_id"], unique=False)
        batch_op.create_index(batch_op.f("ix_audit_entry_at"), ["at"], unique=False)
        batch_op.create_index("ix_audit_entry_subject", ["subject_kind", "subject_id"], unique=False)

    op.create_table(
        "external_identity",
        sa.Column("id", sa.Integer(), nullable=False),
        sa.Column("user_id", sa.Integer(), nullable=False),
        sa.Column("issuer", sa.String(length=300), nullable=False),
        sa.Column("subject", sa.String(length=255), nullable=False),
        sa.Column("created_at", sa.DateTime(timezone=True), nullable=False),
        sa.ForeignKeyConstraint(
            ["user_id"], ["user_account.id"], name=op.f("fk_external_identity_user_id_user_account")
        ),
        sa.PrimaryKeyConstraint("id", name=op.f("pk_external_identity")),
        sa.UniqueConstraint("issuer", "subject", name=op.f("uq_external_identity_issuer_subject")),
    )
    with op.batch_alter_table("external_identity", schema=None) as batch_op:
        batch_op.create_index(batch_op.f("ix_external_identity_user_id"), ["user_id"], unique=False)

    op.create_table(
        "learner_group",
        sa.Column("id", sa.Integer(), nullable=False),
        sa.Column("public_id", sa.String(length=32), nullable=False),
        sa.Column("name", sa.String(length=200), nullable=False),
        sa.Column("owner_id", sa.Integer(), nullable=False),
        sa.Column("join_code", sa.String(length=64), nullable=True),
        sa.Column("created_at", sa.DateTime(timezone=True), nullable=False),
        sa.Column("archived_at", sa.DateTime(timezone=True), nullable=True),
        sa.ForeignKeyConstraint(
            ["owner_id"], ["user_account.id"], name=op.f("fk_learner_group_owner_id_user_account")
        ),
        sa.PrimaryKeyConstraint("id", name=op.f("pk_learner_group")),
        sa.UniqueConstraint("join_code", name=op.f("uq_learner_group_join_code")),
        sa.UniqueConstraint("public_id", name=op.f("uq_learner_group_public_id")),
    )
    with op.batch_alter_table("learner_group", schema=None) as batch_op:
        batch_op.create_index(batch_op.f("ix_learner_group_owner_id"), ["owner_id"], unique=False)

    op.create_table(
        "one_time_link",
        sa.Column("id", sa.Integer(), nullable=False),
        sa.Column("token_hash", sa.String(length=64), nullable=False),
        sa.Column("user_id", sa.Integer(), nullable=False),
        sa.Column("purpose", sa.String(length=32), nullable=False),
        sa.Column("email", sa.String(length=254), nullable=False),
        sa.Column("created_at", sa.DateTime(timezone=True), nullable=False),
        sa.Column("expires_at", sa.DateTime(timezone=True), nullable=False),
        sa.Column("used_at", sa.DateTime(timezone=True), nullable=True),
        sa.ForeignKeyConstraint(
            ["user_id"], ["user_account.id"], name=op.f("fk_one_time_link_user_id_user_account")
        ),
        sa.PrimaryKeyConstraint("id", name=op.f("pk_one_time_link")),
        sa.UniqueConstraint("token_hash", name=op.f("uq_one_time_link_token_hash")),
    )
    with op.batch_alter_table("one_time_link", schema=None) as batch_op:
        batch_op.create_index(batch_op.f("ix_one_time_link_user_id"), ["user_id"], unique=False)

    op.create_table(
        "recovery_code",
        sa.Column("id", sa.Integer(), nullable=False),
        sa.Column("user_id", sa.Integer(), nullable=False),
        sa.Column("code_hash", sa.String(length=64), nullable=False),
        sa.Column("used_at", sa.DateTime(timezone=True), nullable=True),
        sa.ForeignKeyConstraint(
            ["user_id"], ["user_account.id"], name=op.f("fk_recovery_code_user_id_user_account")
        ),
        sa.PrimaryKeyConstraint("id", name=op.f("pk_recovery_code")),
    )
    with op.batch_alter_table("recovery_code", schema=None) as batch_op:
        batch_op.create_index(batch_op.f("ix_recovery_code_user_id"), ["user_id"], unique=False)

    op.create_table(
        "sign_in_session",
        sa.Column("id", sa.Integer(), nullable=False),
        sa.Column("token_hash", sa.String(length=64), nullable=False),
        sa.Column("user_id", sa.Integer(), nullable=False),
        sa.Column("created_at", sa.DateTime(timezone=True), nullable=False),
        sa.Column("used_at", sa.DateTime(timezone=True), nullable=False),
        sa.Column("expires_at", sa.DateTime(timezone=True), nullable=False),
        sa.Column("second_factor_at", sa.DateTime(timezone=True), nullable=True),
        sa.Column("user_agent", sa.String(length=300), nullable=False),
        sa.Column("address", sa.String(length=64), nullable=False),
        sa.ForeignKeyConstraint(
            ["user_id"], ["user_account.id"], name=op.f("fk_sign_in_session_user_id_user_account")
        ),
        sa.PrimaryKeyConstraint("id", name=op.f("pk_sign_in_session")),
        sa.UniqueConstraint("token_hash", name=op.f("uq_sign_in_session_token_hash")),
    )
    with op.batch_alter_table("sign_in_session", schema=None) as batch_op:
        batch_op.create_index(batch_op.f("ix_sign_in_session_user_id"), ["user_id"], unique=False)

    op.create_table(
        "group_member",
        sa.Column("id", sa.Integer(), nullable=False),
        sa.Column("group_id", sa.Integer(), nullable=False),
        sa.Column("user_id", sa.Integer(), nullable=False),
        sa.Column("roster_id", sa.String(length=64), nullable=True),
        sa.Column("joined_at", sa.DateTime(timezone=True), nullable=False),
        sa.ForeignKeyConstraint(
            ["group_id"], ["learner_group.id"], name=op.f("fk_group_member_group_id_learner_group")
        ),
        sa.ForeignKeyConstraint(
            ["user_id"], ["user_account.id"], name=op.f("fk_group_member_user_id_user_account")
        ),
        sa.PrimaryKeyConstraint("id", name=op.f("pk_group_member")),
        sa.UniqueConstraint("group_id", "user_id", name=op.f("uq_group_member_group_id_user_id")),
    )
    with op.batch_alter_table("group_member", schema=None) as batch_op:
        batch_op.create_index(batch_op.f("ix_group_member_user_id"), ["user_id"], unique=False)

    op.create_table(
        "roster_entry",
        sa.Column("id", sa.Integer(), nullable=False),
        sa.Column("group_id", sa.Integer(), nullable=False),
        sa.Column("email_key", sa.String(length=254), nullable=False),
        sa.Column("name", sa.String(length=200), nullable=False),
        sa.Column("roster_id", sa.String(length=64), nullable=True),
        sa.Column("created_at", sa.DateTime(timezone=True), nullable=False),
        sa.ForeignKeyConstraint(
            ["group_id"], ["learner_group.id"], name=op.f("fk_roster_entry_group_id_learner_group")
        ),
        sa.PrimaryKeyConstraint("id", name=op.f("pk_roster_entry")),
        sa.UniqueConstraint("group_id", "email_key", name=op.f("uq_roster_entry_group_id_email_key")),
    )
    with op.batch_alter_table("roster_entry", schema=None) as batch_op:
        batch_op.create_index(batch_op.f("ix_roster_entry_email_key"), ["email_key"], unique=False)

    with op.batch_alter_table("user_account", schema=None) as batch_op:
        batch_op.add_column(sa.Column("name", sa.String(length=200), nullable=True))
        batch_op.add_column(sa.Column("email", sa.String(length=254), nullable=True))
        batch_op.add_column(sa.Column("email_key", sa.String(length=254), nullable=True))
        batch_op.add_column(sa.Column("email_verified_at", sa.DateTime(timezone=True), nullable=True))
        batch_op.add_column(sa.Column("password_hash", sa.String(length=255), nullable=True))
        batch_op.add_column(sa.Column("totp_secret", sa.String(length=255), nullable=True))
        batch_op.add_column(sa.Column("totp_last_step", sa.Integer(), nullable=True))
        batch_op.add_column(sa.Column("locale", sa.String(length=8), nullable=True))
        batch_op.add_column(sa.Column("time_zone", sa.String(length=64), nullable=True))
        batch_op.add_column(sa.Column("disabled_at", sa.DateTime(timezone=True), nullable=True))
        batch_op.add_column(sa.Column("deleted_at", sa.DateTime(timezone=True), nullable=True))
        batch_op.add_column(sa.Column("last_seen_at", sa.DateTime(timezone=True), nullable=True))
        # an index and not a constraint: SQLite would copy the table for that, and attempts point into it
        batch_op.create_index(batch_op.f("ix_user_account_email_key"), ["email_key"], unique=True)
    _protect_audit()


def downgrade() -> None:
    op.drop_index("ix_user_account_email_key", "user_account")
    op.drop_column("user_account", "last_seen_at")
    op.drop_column("user_account", "deleted_at")
    op.drop_column("user_account", "disabled_at")
    op.drop_column("user_account", "time_zone")
    op.drop_column("user_account", "locale")
    op.drop_column("user_account", "totp_last_step")
    op.drop_column("user_account", "totp_secret")
    op.drop_column("user_account", "password_hash")
    op.drop_column("user_account", "email_verified_at")
    op.drop_column("user_account", "email_key")
    op.drop_column("user_account", "email")
    op.drop_column("user_account", "name")

    op.drop_table("roster_entry")
    op.drop_table("group_member")
    op.drop_table("sign_in_session")
    op.drop_table("recovery_code")
    op.drop_table("one_time_link")
    op.drop_table("learner_group")
    op.drop_table("external_identity")
    op.drop_table("audit_entry")
    if op.get_bind().dialect.name == "postgresql":
        op.execute("DROP FUNCTION refuse_audit_change()")


def _protect_audit() -> None:
    """Refuse to change or to delete an audit row, whoever asks."""
    if op.get_bind().dialect.name == "postgresql":
        op.execute(
            "CREATE FUNCTION refuse_audit_change() RETURNS trigger LANGUAGE plpgsql AS "
            "$$ BEGIN RAISE EXCEPTION 'audit_entry is append-only'; END $$"
        )
        op.execute(
            "CREATE TRIGGER audit_entry_append_only BEFORE UPDATE OR DELETE OR TRUNCATE ON audit_entry "
            "FOR EACH STATEMENT EXECUTE FUNCTION refuse_audit_change()"
        )
        return
    for change in ("UPDATE", "DELETE"):
        op.execute(
            f"CREATE TRIGGER audit_entry_no_{change.lower()} BEFORE {change} ON audit_entry "
            "BEGIN SELECT RAISE(ABORT, 'audit_entry is append-only'); END"
        )
