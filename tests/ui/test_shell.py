"""The page in a browser: knobs, tiles, bars, links, undo, both themes, a phone, and no serious barrier."""

import re
from collections.abc import Callable

import pytest
from playwright.sync_api import Locator, Page, expect

pytestmark = pytest.mark.ui

Visit = Callable[..., Page]
Barriers = Callable[[Page], list[str]]
PHONE = {"width": 390, "height": 844}


def tile(page: Page, name: str) -> Locator:
    return page.get_by_role("group", name="Headline values").get_by_role("button", name=re.compile(f"^{name}"))


def bars(page: Page) -> list[tuple[str, float]]:
    rows = page.locator("ul.bars li[data-knob]")
    return [(row.get_attribute("data-knob") or "", float(row.get_attribute("data-e") or "nan")) for row in rows.all()]


def drag(page: Page, slider: Locator, share: float) -> None:
    slider.scroll_into_view_if_needed()
    box, thumb = (
        slider.bounding_box(),
        float(slider.evaluate("e => parseFloat(getComputedStyle(e).getPropertyValue('--size'))")),
    )
    assert box is not None
    at = float(slider.input_value())
    for step in range(11):
        place = at + (share - at) * step / 10
        page.mouse.move(box["x"] + thumb / 2 + place * (box["width"] - thumb), box["y"] + box["height"] / 2)
        if step == 0:
            page.mouse.down()
    page.mouse.up()


def test_dragging_a_slider_moves_values_and_is_one_step_of_undo(visit: Visit) -> None:
    page = visit()
    number = tile(page, "Step time").locator(".number")
    expect(number).to_have_text("442")
    drag(page, page.get_by_role("slider", name="Peak compute"), 0.5)
    expect(page.get_by_role("textbox", name="Peak compute")).to_have_value("100")
    expect(number).to_have_text("2.03")
    page.get_by_role("button", name="Undo").click()
    expect(number).to_have_text("442")
    page.keyboard.press("Control+Shift+Z")
    expect(number).to_have_text("2.03")
    page.get_by_role("button", name="Reset Peak compute").click()
    expect(number).to_have_text("442")


def test_a_slack_link_has_no_bar_until_it_binds(visit: Visit) -> None:
    page = visit()
    assert "ici_bandwidth" not in dict(bars(page))
    slow = page.get_by_role("textbox", name="ICI bandwidth")
    slow.fill("20")
    slow.press("Enter")
    expect(page.locator('ul.bars li[data-knob="ici_bandwidth"]')).to_be_visible()
    assert dict(bars(page))["ici_bandwidth"] < -0.9
    expect(page.get_by_text("FSDP-bound").or_(page.get_by_text("TP-bound")).first).to_be_visible()


def test_clicking_a_value_puts_it_in_focus(visit: Visit) -> None:
    page = visit()
    tile(page, "Cost").click()
    expect(page.get_by_role("heading", name="What moves training bill")).to_be_visible()
    expect(tile(page, "Cost")).to_have_attribute("aria-pressed", "true")
    assert dict(bars(page))["price_per_chip_hour"] == pytest.approx(1)
    page.keyboard.press("/")
    page.get_by_role("searchbox", name="Search the values").fill("kv cache a token")
    page.locator('dialog [data-of="kv_bytes_per_token"]').click()
    expect(page.get_by_role("heading", name="What moves KV cache a token")).to_be_visible()
    assert dict(bars(page))["n_kv_heads"] == pytest.approx(1)


def test_entries_take_what_people_type_and_keep_what_they_mistype(visit: Visit) -> None:
    page = visit()
    batch = page.get_by_role("textbox", name=re.compile("^Batch"))
    batch.fill("4M")
    batch.press("Enter")
    expect(batch).to_have_value("4,000,000")
    expect(page).to_have_url(re.compile("batch_tokens=4000000"))
    batch.fill("a lot")
    batch.press("Enter")
    expect(batch).to_have_attribute("aria-invalid", "true")
    expect(batch).to_have_accessible_description(re.compile("not a number"))
    expect(page.get_by_role("status").get_by_text("batch_tokens=a lot")).to_be_visible()
    expect(batch).to_have_value("a lot")
    batch.press("Escape")
    expect(batch).to_have_value("4,000,000")


def test_a_preset_brings_its_figures_and_the_keyboard_turns_knobs(visit: Visit) -> None:
    page = visit()
    page.get_by_role("combobox", name="Chip").select_option("h100")
    expect(page.get_by_role("textbox", name="Peak compute")).to_have_value("989")
    axes = page.get_by_role("slider", name="Tensor shards")
    axes.press("ArrowRight")
    expect(page.get_by_role("textbox", name="Tensor shards")).to_have_value("16")
    axes.press("ArrowLeft")
    axes.press("ArrowLeft")
    expect(page.get_by_role("textbox", name="Tensor shards")).to_have_value("4")
    expect(page).to_have_url(re.compile("chip=h100&tensor_shards=4$"))


def test_a_link_opens_the_same_point_and_back_returns(visit: Visit) -> None:
    page = visit("v=1&matmul_efficiency=0.4&focus=mfu")
    expect(tile(page, "MFU").locator(".number")).to_have_text("40.0")
    expect(page.get_by_role("heading", name="What moves MFU")).to_be_visible()
    page.get_by_role("link", name="Inference").click()
    expect(tile(page, "Decode step")).to_be_visible()
    expect(page).to_have_url(re.compile(r"page=inference&matmul_efficiency=0\.4$"))
    page.go_back()
    expect(tile(page, "MFU").locator(".number")).to_have_text("40.0")
    expect(page.get_by_role("link", name="Training")).to_have_attribute("aria-current", "page")


def test_copy_link_and_command_give_the_point(visit: Visit) -> None:
    page = visit("v=1&seq_len=8192")
    page.context.grant_permissions(["clipboard-read", "clipboard-write"])
    page.get_by_role("button", name="Copy link").click()
    expect(page.get_by_role("status").filter(has_text="Link copied")).to_have_count(1)
    assert page.evaluate("navigator.clipboard.readText()").endswith("/dashboard?v=1&seq_len=8192")
    page.get_by_role("button", name="Copy as command").click()
    expect(page.get_by_role("status").filter(has_text="Command copied")).to_have_count(1)
    assert page.evaluate("navigator.clipboard.readText()") == "scalegrad gradient --of step_time --set seq_len=8192"


def test_a_hostile_link_says_what_it_left_out(visit: Visit) -> None:
    page = visit(
        "chip=%3Cscript%3Ealert(1)%3C/script%3E&batch_tokens=-1&focus=__class__&what=%F0%9F%98%80&peak_flops=1e999"
    )
    notice = page.get_by_role("status").filter(has_text="batch_tokens=-1")
    for named in ("<script>", "__class__", "what", "peak_flops"):
        expect(notice).to_contain_text(named)
    expect(tile(page, "Step time").locator(".number")).to_have_text("442")


def test_the_dark_theme_is_remembered(visit: Visit) -> None:
    page = visit()
    page.get_by_role("button", name="Dark theme").click()
    ground = "getComputedStyle(document.documentElement).backgroundColor"
    assert page.evaluate(ground) == "rgb(15, 18, 22)"
    page.reload()
    page.get_by_role("button", name="Light theme").wait_for()
    assert page.evaluate(ground) == "rgb(15, 18, 22)"


def test_one_screen_without_scrolling(visit: Visit) -> None:
    page = visit()
    tile(page, "Step time").wait_for()
    overflow = (
        "document.scrollingElement.scrollHeight > innerHeight || document.scrollingElement.scrollWidth > innerWidth"
    )
    assert not page.evaluate(overflow)
    assert page.evaluate("(main => main.scrollHeight <= main.clientHeight)(document.querySelector('main'))")


def test_on_a_phone_knobs_are_in_a_drawer_and_values_stay_in_sight(visit: Visit) -> None:
    page = visit()
    page.set_viewport_size(PHONE)
    assert page.evaluate("document.scrollingElement.scrollWidth") <= PHONE["width"]
    slider = page.get_by_role("slider", name="Peak compute")
    expect(slider).to_be_hidden()
    page.get_by_role("button", name="Knobs", exact=True).click()
    drag(page, slider, 0.5)
    expect(tile(page, "Step time").locator(".number")).to_have_text("2.03")
    expect(tile(page, "Step time")).to_be_in_viewport()
    page.keyboard.press("Escape")
    expect(slider).to_be_hidden()


def test_the_first_visit_is_guided_once(visit: Visit) -> None:
    page = visit(toured=False)
    tour = page.get_by_role("dialog")
    for title in ("Drag a knob", "Click a value", "Keep the point"):
        expect(tour.get_by_role("heading", name=title)).to_be_visible()
        tour.locator("[data-next]").click()
    expect(tour).to_be_hidden()
    page.reload()
    tile(page, "Step time").wait_for()
    expect(tour).to_be_hidden()


@pytest.mark.parametrize(("query", "theme"), [("", "light"), ("page=inference", "dark")])
def test_nothing_stands_in_the_way(visit: Visit, barriers: Barriers, query: str, theme: str) -> None:
    page = visit(query)
    tile(page, "Throughput").wait_for()
    if theme == "dark":
        page.get_by_role("button", name="Dark theme").click()
        page.get_by_role("button", name="Light theme").wait_for()
    assert barriers(page) == []
