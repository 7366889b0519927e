"""People, and how they prove who they are. Tokens and codes are kept as hashes: a stolen row opens none."""

from datetime import datetime
from enum import StrEnum

from sqlalchemy import ForeignKey, String, UniqueConstraint
from sqlalchemy.orm import Mapped, mapped_column

from app.core.db import Base
from app.i18n.locales import Locale

NAME_LENGTH = 200
EMAIL_LENGTH = 254  # RFC 5321, the longest path without its brackets


class Role(StrEnum):
    """What a person may do; `permissions.py` says what that is."""

    LEARNER = "learner"
    INSTRUCTOR = "instructor"
    ADMIN = "admin"


class User(Base):
    """A person. An anonymous learner is one without an e-mail, known by the cookie's name alone."""

    __tablename__ = "user_account"

    id: Mapped[int] = mapped_column(primary_key=True)
    public_id: Mapped[str] = mapped_column(String(64), unique=True)  # drawn anew at sign-up
    role: Mapped[Role] = mapped_column(String(16))
    created_at: Mapped[datetime]
    name: Mapped[str | None] = mapped_column(String(NAME_LENGTH))
    email: Mapped[str | None] = mapped_column(
        String(EMAIL_LENGTH)
    )  # as the person writes it; the key finds it
    email_key: Mapped[str | None] = mapped_column(String(EMAIL_LENGTH), unique=True, index=True)
    email_verified_at: Mapped[datetime | None]
    password_hash: Mapped[str | None] = mapped_column(String(255))  # none: signs in elsewhere
    totp_secret: Mapped[str | None] = mapped_column(String(255))  # encrypted with the site's key
    totp_last_step: Mapped[int | None]  # a code is good once
    locale: Mapped[Locale | None] = mapped_column(String(8))
    time_zone: Mapped[str | None] = mapped_column(String(64))  # an IANA name
    disabled_at: Mapped[datetime | None]
    deleted_at: Mapped[datetime | None]  # the person is gone, the statistics stay
    last_seen_at: Mapped[datetime | None]


class ExternalIdentity(Base):
    """The same person at an OpenID Connect issuer."""

    __tablename__ = "external_identity"
    __table_args__ = (UniqueConstraint("issuer", "subject"),)

    id: Mapped[int] = mapped_column(primary_key=True)
    user_id: Mapped[int] = mapped_column(ForeignKey("user_account.id"), index=True)
    issuer: Mapped[str] = mapped_column(String(300))
    subject: Mapped[str] = mapped_column(String(255))
    created_at: Mapped[datetime]


class SignInSession(Base):
    """One browser in which a person is signed in."""

    __tablename__ = "sign_in_session"

    id: Mapped[int] = mapped_column(primary_key=True)
    token_hash: Mapped[str] = mapped_column(String(64), unique=True)
    user_id: Mapped[int] = mapped_column(ForeignKey("user_account.id"), index=True)
    created_at: Mapped[datetime]
    used_at: Mapped[datetime]  # to the minute: the idle limit counts from here
    expires_at: Mapped[datetime]  # the absolute limit
    second_factor_at: Mapped[datetime | None]  # when a code was given, for those who have one
    user_agent: Mapped[str] = mapped_column(String(300))
    address: Mapped[str] = mapped_column(String(64))


class OneTimeLink(Base):
    """A link that was sent by e-mail: signed, good once, and for a while."""

    __tablename__ = "one_time_link"

    id: Mapped[int] = mapped_column(primary_key=True)
    token_hash: Mapped[str] = mapped_column(String(64), unique=True)
    user_id: Mapped[int] = mapped_column(ForeignKey("user_account.id"), index=True)
    purpose: Mapped[str] = mapped_column(String(32))  # verify, reset, change-email
    email: Mapped[str] = mapped_column(String(EMAIL_LENGTH))  # that it was sent to
    created_at: Mapped[datetime]
    expires_at: Mapped[datetime]
    used_at: Mapped[datetime | None]


class RecoveryCode(Base):
    """A code that stands in for the second factor, once."""

    __tablename__ = "recovery_code"

    id: Mapped[int] = mapped_column(primary_key=True)
    user_id: Mapped[int] = mapped_column(ForeignKey("user_account.id"), index=True)
    code_hash: Mapped[str] = mapped_column(String(64))
    used_at: Mapped[datetime | None]
