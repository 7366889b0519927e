// «/» goes to the search from anywhere, unless something is being typed.
document.addEventListener("keydown", (event) => {
  if (event.key !== "/" || event.ctrlKey || event.metaKey || event.altKey || event.isComposing) return;
  const typing = "input:not([type=radio], [type=checkbox]), select, textarea, [contenteditable]";
  if (event.target.closest?.(typing)) return;
  event.preventDefault();
  const field = document.getElementById("search-words");
  if (!field) return document.querySelector("a.search-link")?.click();
  field.focus();
  field.select();
});
