import { useEffect, useState } from 'react'

export default function Work() {
  const [result, setResult] = useState('')
  useEffect(() => {
    const worker = new Worker(new URL('../components/worker.ts', import.meta.url), { type: 'module' })
    worker.onmessage = ({ data }) => setResult([...data, ...globals()].join(' '))
    worker.postMessage(21)
    return () => worker.terminate()
  }, [])
  return <p id="result">{result}</p>
}

/** Globals of Node, which browsers of Next.js have. */
function globals() {
  return [typeof process, process.browser, Buffer.from('page').toString('base64'), global === globalThis]
}
