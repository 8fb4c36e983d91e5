// A page whose second part comes 1.5 s after the first.

import { Suspense, use, useState } from 'react'

const PAUSE_MS = 1500

/** One promise a request on the server, none in the browser: hydration takes the streamed part as it is. */
function waitForPart(): Promise<string> {
  return new Promise((resolve) => setTimeout(resolve, typeof window === 'undefined' ? PAUSE_MS : 0, 'Late part'))
}

export const getServerSideProps = async () => ({ props: {} })

export default function Streamed() {
  const [part] = useState(waitForPart)
  return (
    <>
      <title>Streamed · Fixture</title>
      <h1>Streamed</h1>
      <p id="early">Early part</p>
      <Suspense fallback={<p id="waiting">Waiting</p>}>
        <LatePart part={part} />
      </Suspense>
    </>
  )
}

function LatePart({ part }: { part: Promise<string> }) {
  return <p id="late">{use(part)}</p>
}
