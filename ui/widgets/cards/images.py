"""A card of one or several pictures."""

from collections.abc import Sequence

from engine.rendering.plans import ImagesPlan
from engine.views.chat import CallView
from ui.components.carousel.component import Picture, carousel
from ui.widgets.cards.card import card, file_name, foot, show_notes
from ui.widgets.files import read_bytes
from ui.widgets.show_as import show_as
from ui.words import count

__all__ = ["images_card"]


def images_card(chat_id: str, call: CallView, plan: ImagesPlan, key: str) -> None:
    """Draw the images card."""
    pictures = [
        Picture(
            name=file_name(image.file),
            data=read_bytes(chat_id, image.file),
            media_type=image.file.media_type,
            caption=caption if (caption := image.caption or plan.caption or "") != plan.title else "",
        )
        for image in plan.images
    ]
    card(
        plan.title or "Images",
        count(len(pictures), "picture"),
        key,
        lambda: _body(pictures, plan.notes, key),
        foot(call),
        lambda: show_as(chat_id, call, key),
    )


def _body(pictures: Sequence[Picture], notes: Sequence[str], key: str) -> None:
    carousel(pictures, key=f"carousel-{key}")
    show_notes(notes)
