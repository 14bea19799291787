"use strict";
const report = JSON.parse(document.getElementById("index").textContent);
const list = document.createElement("ul");
for (const tool of report.tools) {
  const item = document.createElement("li");
  item.textContent = `${tool.name}: ${tool.summary}`;
  list.append(item);
}
document.body.append(list);
