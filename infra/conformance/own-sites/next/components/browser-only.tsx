// The server has no window: this module is loaded in browsers only.
const width = window.innerWidth

export default function BrowserOnly() {
  return <p id="browser-only">{width > 0 ? 'width known' : ''}</p>
}
