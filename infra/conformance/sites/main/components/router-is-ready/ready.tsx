import { useRouter } from 'next/router'
import { useEffect } from 'react'
import { State } from '../state'

declare global {
  interface Window {
    /** What `isReady` was each time that the router of the page has changed. */
    ready?: boolean[]
  }
}

export function Ready() {
  const router = useRouter()
  useEffect(() => {
    window.ready = [...(window.ready ?? []), router.isReady]
  }, [router])
  return <State />
}
