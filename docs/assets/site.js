// What the theme's script makes, as keyboards and screen readers need it.
const content = document.querySelector(".md-content");

function adapt() {
  // Every copy button stands in a <nav>: a page would have as many landmarks of one name as code blocks.
  for (const nav of content.querySelectorAll("nav.md-code__nav")) nav.setAttribute("role", "none");
  // A table that is wider than its box scrolls; the keyboard scrolls what has the focus.
  for (const box of content.querySelectorAll(".md-typeset__scrollwrap")) {
    const wide = box.scrollWidth > box.clientWidth;
    for (const [name, value] of [["tabindex", "0"], ["role", "group"], ["aria-label", "Table"]])
      wide ? box.setAttribute(name, value) : box.removeAttribute(name);
  }
}

if (content) {
  new MutationObserver(adapt).observe(content, { childList: true, subtree: true }); // buttons come when they are seen
  addEventListener("resize", adapt);
  adapt();
}
