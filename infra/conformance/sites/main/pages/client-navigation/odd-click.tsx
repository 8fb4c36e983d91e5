import Link from 'next/link'
import { useState } from 'react'
import { State } from '../../components/state'

/** Calls the handler of its link without an event. */
function Wrong({ onClick, href }: { onClick?: () => void; href?: string }) {
  const [errors, setErrors] = useState(0)
  const click = () => {
    try {
      onClick?.()
    } catch {
      setErrors(errors + 1)
    }
  }
  return (
    <>
      <State props={{ errors }} />
      <button id="wrong" type="button" data-href={href} onClick={click}>
        wrong
      </button>
    </>
  )
}

export default function OddClick() {
  return (
    <Link href="/client-navigation/pier" passHref legacyBehavior>
      <Wrong />
    </Link>
  )
}
