import { useRouter } from 'next/router'
import { State } from './state'

declare global {
  interface Window {
    firstAddress?: string
  }
}

/** Keeps the address at which the script of the document began. */
export function Parcel({ parcel }: { parcel?: string }) {
  const { isFallback } = useRouter()
  if (typeof window !== 'undefined') window.firstAddress ??= window.location.pathname
  return isFallback ? <p>Looking for the parcel</p> : <State props={{ parcel }} />
}
