"""The course in a browser: a chapter and its exercises, and each lab doing its one thing."""

from collections.abc import Callable

import pytest
from playwright.sync_api import Page, expect

from dashboard.course import labs

pytestmark = pytest.mark.ui


def test_a_chapter_checks_an_answer_keeps_progress_and_opens_its_points(
    visit: Callable[..., Page], barriers: Callable[[Page], list[str]]
) -> None:
    page = visit("v=1&page=course")
    expect(page.get_by_role("heading", name="Introduction", level=1)).to_be_visible()
    page.get_by_role("button", name="1 Intro to Rooflines").click()
    expect(page.get_by_role("heading", name="Intro to Rooflines", level=1)).to_be_visible()
    page.wait_for_url("**part=1-rooflines**")
    assert barriers(page) == []
    exercise = page.locator("[data-id=roofline-q2-int8w-bf16]")
    exercise.locator("summary").click()
    answer = exercise.get_by_label("Your answer")
    for text, said in (("120", "number and unit"), ("240 tokens", "Too high by 2.00×"), ("120 tokens", "Right: 120.1")):
        answer.fill(text)
        exercise.get_by_role("button", name="Check").click()
        expect(exercise.get_by_role("status")).to_contain_text(said)
    exercise.get_by_role("button", name="Worked answer").click()
    expect(exercise.get_by_text("= 120.12")).to_be_visible()
    page.get_by_role("button", name="Mark as read").click()
    page.reload()
    expect(page.get_by_text("1 of 13 chapters read, 1 exercises solved")).to_be_visible()
    page.locator(".live", has_text="120").first.click()
    page.wait_for_url("**weight_bytes=1**")
    expect(page.locator("nav a[aria-current]")).to_have_text("Training")
    page.go_back()
    expect(page.get_by_role("heading", name="Intro to Rooflines", level=1)).to_be_visible()


@pytest.mark.parametrize("slug", list(labs()))
def test_a_lab_flips_its_bound(visit: Callable[..., Page], slug: str) -> None:
    lab = labs()[slug]
    page = visit(f"v=1&page=course&part={slug}")
    expect(page.get_by_role("heading", name=lab.title, level=1)).to_be_visible()
    announced = page.locator(".announce")
    expect(announced).not_to_contain_text("The bound flipped")
    expect(page.locator(".rail .flip:visible")).to_have_count(0)
    page.get_by_role("button", name="Look", exact=True).click()
    expect(page.get_by_text("It flips at")).to_be_visible()
    expect(page.locator(".rail .flip:visible")).to_have_count(1)
    below = announced.inner_text().startswith("Below")
    page.locator(".turn input[type=range]").first.fill("1000" if below else "0")
    expect(announced).to_contain_text("The bound flipped")
    expect(announced).to_contain_text("Above" if below else "Below")
    page.get_by_role("button", name="Open in").click()
    expect(page.locator("nav a[aria-current]")).to_have_text(lab.home.capitalize())
    page.wait_for_url(f"**{lab.across.name}=**")
    # The other page has several pictures: it is there, nothing is on its way any more.
    expect(page.locator(".bk-Figure:visible").nth(1)).to_be_visible()
