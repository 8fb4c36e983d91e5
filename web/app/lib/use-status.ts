// Follows /api/status/events while the page can be seen, and keeps what the charts show.

import { useEffect, useState } from 'react'
import { POINTS_LIMIT, parseStatus, pointBetween, type StackStatus, type StatusPoint } from './status.ts'

/** A stream that was refused, and not only lost, is asked for again after this long. */
const REFUSED_PAUSE_MS = 5000

export type StreamState = 'waiting' | 'live' | 'lost'

export interface LiveStatus {
  status: StackStatus
  points: StatusPoint[]
  stream: StreamState
}

/** `first` is what the server rendered: figures since they began, no rates yet. */
export function useStatus(first: StackStatus): LiveStatus {
  const [live, setLive] = useState<LiveStatus>({ status: first, points: [], stream: 'waiting' })

  useEffect(() => {
    let source: EventSource | undefined
    let timer: ReturnType<typeof setTimeout> | undefined
    // Another replica counts from another beginning: only readings of one connection are compared.
    let before: StackStatus | undefined

    const take = (text: string) => {
      const status = parseStatus(text)
      if (!status) return
      const point = before && pointBetween(before, status)
      before = status
      setLive(({ points }) => ({
        status,
        stream: 'live',
        points: point ? [...points, point].slice(-POINTS_LIMIT) : points,
      }))
    }
    const open = () => {
      clearTimeout(timer)
      if (source || document.visibilityState === 'hidden') return
      source = new EventSource('/api/status/events')
      source.onmessage = ({ data }) => take(String(data))
      source.onerror = () => {
        before = undefined
        setLive((current) => ({ ...current, stream: 'lost' }))
        if (source?.readyState !== EventSource.CLOSED) return
        close()
        timer = setTimeout(open, REFUSED_PAUSE_MS)
      }
    }
    const close = () => {
      source?.close()
      source = undefined
      before = undefined
    }
    const follow = () => {
      if (document.visibilityState === 'visible') return open()
      clearTimeout(timer)
      close()
      setLive((current) => ({ ...current, stream: 'waiting' }))
    }

    open()
    document.addEventListener('visibilitychange', follow)
    // A page that the browser keeps for going back must not keep a connection.
    addEventListener('pagehide', close)
    addEventListener('pageshow', open)
    return () => {
      clearTimeout(timer)
      close()
      document.removeEventListener('visibilitychange', follow)
      removeEventListener('pagehide', close)
      removeEventListener('pageshow', open)
    }
  }, [])

  return live
}
