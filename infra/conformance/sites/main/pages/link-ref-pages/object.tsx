import Link from 'next/link'
import { useEffect, useRef } from 'react'

/** Shows what its ref object has. */
export default function WithObject() {
  const ref = useRef<HTMLAnchorElement>(null)
  useEffect(() => {
    ref.current?.setAttribute('data-ref', 'set')
  }, [])
  return (
    <Link id="link" href="/link-ref-pages" ref={ref}>
      With a ref object
    </Link>
  )
}
