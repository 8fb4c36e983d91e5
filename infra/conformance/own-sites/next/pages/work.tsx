import { useEffect, useState } from 'react'

export default function Work() {
  const [result, setResult] = useState('')
  useEffect(() => {
    const worker = new Worker(new URL('../components/worker.ts', import.meta.url), { type: 'module' })
    worker.onmessage = ({ data }) => setResult(String(data))
    worker.postMessage(21)
    return () => worker.terminate()
  }, [])
  return <p id="result">{result}</p>
}
