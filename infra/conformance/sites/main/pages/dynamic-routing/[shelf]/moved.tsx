import Router from 'next/router'
import { useEffect } from 'react'

/** Leaves for the index page as soon as it is there. */
export default function Moved() {
  useEffect(() => void Router.push('/dynamic-routing'), [])
  return <p>This shelf has moved.</p>
}
