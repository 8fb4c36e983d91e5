// The sitemap of the atlas, for search engines.

/** The sitemap (sitemaps.org, version 0.9) of an origin. */
export function sitemapText(origin: string, paths: readonly string[]): string {
  const entries = paths.map((path) => `  <url><loc>${escapeXml(new URL(path, origin).href)}</loc></url>\n`)
  return `<?xml version="1.0" encoding="UTF-8"?>\n<urlset xmlns="http://www.sitemaps.org/schemas/sitemap/0.9">\n${entries.join('')}</urlset>\n`
}

const ENTITIES: Readonly<Record<string, string>> = {
  '&': '&amp;',
  '<': '&lt;',
  '>': '&gt;',
  '"': '&quot;',
  "'": '&apos;',
}

function escapeXml(text: string): string {
  return text.replace(/[&<>"']/g, (character) => ENTITIES[character] ?? character)
}
