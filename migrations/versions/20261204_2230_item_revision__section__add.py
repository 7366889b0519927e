"""An item names the section of its quiz's guide that tells more about it."""

import sqlalchemy as sa
from alembic import op

revision = "8b2f60c4d91e"
down_revision = "5e1a9c0b7d36"
branch_labels = None
depends_on = None


def upgrade() -> None:
    op.add_column("item_revision", sa.Column("section", sa.String(length=80), nullable=True))


def downgrade() -> None:
    op.drop_column("item_revision", "section")
