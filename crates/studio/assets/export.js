// @ts-check
// Pictures and files for use elsewhere.

/**
 * Saves a file.
 * @param {string} name
 * @param {string} type
 * @param {BlobPart} contents
 */
export function saveFile(name, type, contents) {
  const address = URL.createObjectURL(new Blob([contents], { type }));
  const link = document.createElement("a");
  Object.assign(link, { href: address, download: name });
  link.click();
  // The browser reads it after the click.
  setTimeout(() => URL.revokeObjectURL(address), 10000);
}

/**
 * Saves a picture of the server as a file of SVG, which has its own style sheet.
 * @param {string} name
 * @param {string} svg
 */
export function saveSvg(name, svg) {
  saveFile(`${name}.svg`, "image/svg+xml", svg);
}

/**
 * Saves a picture as a file of PNG, with twice the resolution.
 * @param {string} name
 * @param {string} svg
 */
export async function savePng(name, svg) {
  const image = new Image();
  // A data address keeps the canvas readable.
  // On white paper it has the light colours, whatever the system prefers.
  const light = svg.replaceAll("@media(prefers-color-scheme:dark)", "@media not all");
  image.src = `data:image/svg+xml;charset=utf-8,${encodeURIComponent(light)}`;
  await image.decode();
  // Browsers have canvases of at most 16384 pixels on each side.
  const scale = Math.min(2, 16000 / Math.max(image.naturalWidth, image.naturalHeight, 1));
  const canvas = document.createElement("canvas");
  canvas.width = Math.ceil(image.naturalWidth * scale);
  canvas.height = Math.ceil(image.naturalHeight * scale);
  const context = canvas.getContext("2d");
  if (!context) throw new Error("the browser has no canvas");
  context.fillStyle = "#fff";
  context.fillRect(0, 0, canvas.width, canvas.height);
  context.drawImage(image, 0, 0, canvas.width, canvas.height);
  const blob = await new Promise((done) => canvas.toBlob(done, "image/png"));
  if (!blob) throw new Error("the picture is too large for the browser");
  saveFile(`${name}.png`, "image/png", /** @type {Blob} */ (blob));
}
