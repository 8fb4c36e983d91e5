import Link from 'next/link'
import { type ComponentPropsWithRef, forwardRef } from 'react'

const Anchor = forwardRef<HTMLAnchorElement, ComponentPropsWithRef<'a'>>(function Anchor(props, ref) {
  return (
    <a id="link" data-ref="set" {...props} ref={ref}>
      In a component
    </a>
  )
})

export default function WithComponent() {
  return (
    <Link href="/link-ref-pages" passHref legacyBehavior>
      <Anchor />
    </Link>
  )
}
