import { useRouter } from 'next/router'

export const dayProps = () => ({ props: { day: new Date('1781-03-13T22:00:00Z') } })

/** A prop that JSON does not have. */
export function Day({ day }: { day?: Date }) {
  const { isFallback } = useRouter()
  return <p id="day">{isFallback ? 'No day yet' : `Seen on ${day}`}</p>
}
