import { useEffect, useState } from 'react'

/** What the server has seen, and what code in the browser has. */
export function Shown({ env }: { env: object }) {
  const [place, setPlace] = useState('')
  useEffect(() => setPlace(process.env.NEXT_PUBLIC_PLACE ?? ''), [])
  return (
    <>
      <pre id="state">{JSON.stringify({ props: env })}</pre>
      <p id="place">{place}</p>
      <p id="empty">{`[${process.env.NEXT_PUBLIC_EMPTY}]`}</p>
    </>
  )
}
