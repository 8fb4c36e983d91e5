// The name under which a browser saves an image (RFC 6266).

const EXTENSIONS: Readonly<Record<string, string>> = {
  'image/avif': 'avif',
  'image/webp': 'webp',
  'image/jpeg': 'jpg',
  'image/png': 'png',
  'image/gif': 'gif',
  'image/svg+xml': 'svg',
  'image/x-icon': 'ico',
  'image/bmp': 'bmp',
  'image/x-icns': 'icns',
  'image/jxl': 'jxl',
  'image/heic': 'heic',
}

/** The source's name with the extension of the type that is sent. SECURITY: only plain characters reach the header. */
export function contentDisposition(disposition: 'inline' | 'attachment', source: string, type: string): string {
  const { pathname } = new URL(source, 'http://site.invalid')
  const last = pathname.slice(pathname.lastIndexOf('/') + 1).replace(/\.[^.]*$/, '')
  const stem = last
    .replace(/%[0-9a-f]{2}/gi, '_')
    .replace(/[^A-Za-z0-9_.-]/g, '_')
    .slice(0, 80)
  return `${disposition}; filename="${stem === '' ? 'image' : stem}.${EXTENSIONS[type] ?? 'bin'}"`
}
