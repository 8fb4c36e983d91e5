// Follows /api/status/events while the page can be seen.

import type { StackStatus } from 'portico/server'
import { useEffect, useState } from 'react'
import { parseStatus } from './status.ts'

/** A browser gives up a stream that was refused, and not only lost. The page opens it again after this long. */
const REFUSED_PAUSE_MS = 5000

interface LiveStatus {
  status: StackStatus
  before?: StackStatus
  stream: 'waiting' | 'live' | 'lost'
}

/** `first` is what the server rendered. */
export function useStatus(first: StackStatus): LiveStatus {
  const [live, setLive] = useState<LiveStatus>({ status: first, stream: 'waiting' })

  useEffect(() => {
    let source: EventSource | undefined
    const follow = () => {
      const isVisible = document.visibilityState === 'visible'
      const isOpen = source !== undefined && source.readyState !== EventSource.CLOSED
      if (isVisible === isOpen) return
      source?.close()
      source = undefined
      if (!isVisible) return setLive(({ status }) => ({ status, stream: 'waiting' }))
      source = new EventSource('/api/status/events')
      source.onmessage = ({ data }) => {
        const status = parseStatus(String(data))
        if (status) setLive((last) => ({ status, before: last.status, stream: 'live' }))
      }
      source.onerror = () => setLive((last) => ({ ...last, stream: 'lost' }))
    }
    follow()
    const timer = setInterval(follow, REFUSED_PAUSE_MS)
    document.addEventListener('visibilitychange', follow)
    return () => {
      source?.close()
      clearInterval(timer)
      document.removeEventListener('visibilitychange', follow)
    }
  }, [])

  return live
}
