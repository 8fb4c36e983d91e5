import { useRouter } from 'next/router'
import { State } from '../../../components/state'

declare global {
  interface Window {
    /** Paths in the address bar while the page was rendered. */
    paths?: string[]
  }
}

export default function Comment() {
  useRouter()
  if (typeof window !== 'undefined') window.paths = [...(window.paths ?? []), window.location.pathname]
  return <State />
}
