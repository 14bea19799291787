// The search of the theme, in its worker; results whose headings have the words of the query come first. The theme
// finds beginnings of words anywhere, so that "rename tool" finds each page about tools first.
// The address of this file ends with that of the theme's own worker.
const ignored = new Set("a an and are as at be by do for from how i in is it my of on or the to what when with".split(" "));
let query = [];

function wordsOf(text) {
  const plain = text.replace(/<[^>]*>/g, "").replace(/&\w+;/g, " ").toLowerCase();
  const words = plain.split(/[^\p{L}\p{N}]+/u).filter((word) => word && !ignored.has(word));
  return words.map((word) => word.replace(/^(.{4,}?)(?:ing|ed|es|s|e)$/, "$1")); // renaming, renamed, rename
}

function likeness(word, heading) {
  if (heading.includes(word)) return 1;
  return heading.some((each) => each.startsWith(word) || (each.length > 3 && word.startsWith(each))) ? 0.5 : 0;
}

function heads(item, page) {
  const own = wordsOf(item.title), around = item === page ? [] : wordsOf(page.title);
  // A word of the section's own heading counts more than one of its page's title.
  return query.reduce((sum, word) => sum + Math.max(likeness(word, own), 0.75 * likeness(word, around)), 0);
}

function ranked(items) {
  const groups = items.map((group) => {
    const page = group.find((item) => !item.parent) ?? group[0];
    const scored = group.map((item) => [heads(item, page), item]).sort((one, other) => other[0] - one[0]);
    const task = /^(?:how-to|tutorial)\//.test(page.location) ? 0.1 : 0; // before a reference with the same words
    return [scored[0][0] + task, scored.map(([, item]) => item)];
  });
  return groups.sort((one, other) => other[0] - one[0]).map(([, group]) => group);
}

const post = self.postMessage.bind(self);
self.postMessage = (message) => {
  if (message?.data?.items && query.length) message.data.items = ranked(message.data.items);
  post(message);
};
addEventListener("message", ({ data }) => {
  if (typeof data?.data === "string") query = wordsOf(data.data);
});
importScripts(new URL(location.search.slice(1), location.href));
