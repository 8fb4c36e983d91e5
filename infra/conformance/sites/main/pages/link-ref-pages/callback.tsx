import Link from 'next/link'

const mark = (element: HTMLAnchorElement | null) => element?.setAttribute('data-ref', 'set')

export default function WithCallback() {
  return (
    <Link id="link" href="/link-ref-pages" ref={mark}>
      With a callback
    </Link>
  )
}
