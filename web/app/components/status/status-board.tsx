// The figures of /status: the gateway that reported them, and one row a service.

import type { StackStatus } from 'portico/server'
import { formatMs, formatStamp } from '../../lib/format.ts'
import { summariesOf } from '../../lib/status/status.ts'
import { useStatus } from '../../lib/status/use-status.ts'
import css from './status-board.module.css'

const STREAMS = { waiting: 'A snapshot', live: 'Live', lost: 'Connecting again' }

export function StatusBoard({ first }: { first: StackStatus }) {
  const { status, before, stream } = useStatus(first)
  const [at, since] = [new Date(status.at).toISOString(), new Date(status.since).toISOString()]
  return (
    <div className={css.board}>
      <p>
        <strong data-stream={stream}>{STREAMS[stream]}</strong> at <time dateTime={at}>{at.slice(11, 19)}</time> UTC:
        what gateway {status.gateway}, with build <code>{status.buildId}</code>, has counted since {formatStamp(since)},{' '}
        {since.slice(11, 16)} UTC.
      </p>
      <table>
        <thead>
          <tr>
            {['Service', 'Ready', 'Requests', 'Mean', '5xx', 'Cached'].map((title) => (
              <th key={title} scope="col" className="label">
                {title}
              </th>
            ))}
          </tr>
        </thead>
        <tbody>
          {summariesOf(status, before).map(({ name, replicas: { known, ready }, ...figures }) => (
            <tr key={name}>
              <th scope="row">{name}</th>
              <td data-bad={ready < known || known === 0}>{`${ready} of ${known} ready`}</td>
              <td>{formatRequests(figures)}</td>
              <td>{figures.averageMs === undefined ? '–' : formatMs(figures.averageMs)}</td>
              <td data-bad={figures.isFailing}>{figures.failed.toLocaleString('en-GB')}</td>
              <td>{figures.hitShare === undefined ? '–' : `${Math.round(figures.hitShare * 100)} %`}</td>
            </tr>
          ))}
        </tbody>
      </table>
    </div>
  )
}

function formatRequests({ perSecond, count }: { perSecond: number | undefined; count: number }): string {
  return perSecond === undefined ? `${count.toLocaleString('en-GB')} requests` : `${perSecond.toFixed(1)} a second`
}
