// The figures of /status: build and stream, one card a service, and the pictures' cache, queue and encoders.

import { formatBytes, formatMs } from '../lib/format.ts'
import {
  hitShareOf,
  pageHitShareOf,
  quantileMs,
  type ServicePoint,
  type StackStatus,
  type StatusPoint,
} from '../lib/status.ts'
import { type StreamState, useStatus } from '../lib/use-status.ts'
import { AnswerShares } from './answer-shares.tsx'
import { LineChart } from './line-chart.tsx'
import css from './status-board.module.css'

const DUTIES: Readonly<Record<string, string>> = {
  gateway: 'the only door',
  renderer: 'pages and page data',
  images: 'pictures at the right size',
  actions: 'forms and /api',
}
const STREAMS: Readonly<Record<StreamState, string>> = {
  waiting: 'A snapshot',
  live: 'Live',
  lost: 'Connecting again',
}

export function StatusBoard({ first }: { first: StackStatus }) {
  const { status, points, stream } = useStatus(first)
  const pageHits = pageHitShareOf(status)
  return (
    <>
      <dl className={css.facts}>
        <div>
          <dt className="label">Stream</dt>
          <dd className={css.stream} data-stream={stream}>
            {STREAMS[stream]}
          </dd>
        </div>
        <div>
          <dt className="label">Build</dt>
          <dd>
            <code>{status.buildId}</code>
          </dd>
        </div>
        <div>
          <dt className="label">Read at</dt>
          <dd>
            <time dateTime={new Date(status.at).toISOString()}>{formatClock(status.at)}</time> UTC
          </dd>
        </div>
        <div>
          <dt className="label">Page cache</dt>
          <dd>{pageHits === undefined ? '–' : `${Math.round(pageHits * 100)} % hits`}</dd>
        </div>
      </dl>

      <section aria-labelledby="services">
        <h2 id="services" className={css.heading}>
          Services
        </h2>
        <ul className={css.services}>
          {status.services.map((service) => (
            <ServiceCard key={service.name} service={service} points={points} />
          ))}
        </ul>
      </section>

      <section aria-labelledby="pictures">
        <h2 id="pictures" className={css.heading}>
          Pictures
        </h2>
        <div className={css.pictures}>
          <CacheCard status={status} points={points} />
          <QueueCard status={status} points={points} />
          <EncodeCard status={status} points={points} />
        </div>
      </section>
    </>
  )
}

function ServiceCard({ service, points }: { service: StackStatus['services'][number]; points: StatusPoint[] }) {
  const { name, replicas, requests, failed, memoryBytes } = service
  const own = points.map((point) => point.services[name])
  const now = own.at(-1)
  const rates = own.map((point) => point?.perSecond)
  return (
    <li className={css.card}>
      <div className={css.name}>
        <h3>{name}</h3>
        <p>{DUTIES[name]}</p>
      </div>
      <Replicas {...replicas} />
      <LineChart
        label={`Requests per second of ${name}`}
        lines={[{ values: rates }]}
        format={formatRate}
        caption="requests a second"
      />
      <dl className={css.list}>
        <Row
          term={now ? 'Now' : 'So far'}
          value={now ? `${formatRate(now.perSecond)} a second` : countOf(requests.count)}
        />
        <Row term="95 of 100 within" value={formatTime(p95Of(now, requests))} />
        <Row term="Answered 5xx" value={String(failed)} isBad={(now?.failedPerSecond ?? 0) > 0} />
        <Row term="Processor" value={now ? `${Math.round(now.processors * 100)} %` : '–'} />
        <Row term="Memory" value={formatBytes(memoryBytes)} />
      </dl>
    </li>
  )
}

function p95Of(now: ServicePoint | undefined, requests: StackStatus['services'][number]['requests']) {
  return now ? now.p95Ms : quantileMs(requests, 0.95)
}

/** One mark a replica, filled when it is ready; above a dozen the number alone is read. */
function Replicas({ known, ready }: { known: number; ready: number }) {
  const marks = Array.from({ length: Math.min(known, 12) }, (_, index) => index < ready)
  return (
    <p className={css.replicas} data-state={ready === 0 ? 'none' : ready < known ? 'some' : 'all'}>
      <span className={css.marks} aria-hidden="true">
        {marks.map((isReady, index) => (
          <i key={index} data-ready={isReady} />
        ))}
      </span>
      {known === 0 ? 'no replica is known' : `${ready} of ${known} ready`}
    </p>
  )
}

interface CardProps {
  status: StackStatus
  points: StatusPoint[]
}

function CacheCard({ status, points }: CardProps) {
  const share = hitShareOf(status)
  return (
    <article className={css.card}>
      <h3>Cache</h3>
      <p className={css.figure}>
        {share === undefined ? '–' : `${Math.round(share * 100)} %`}
        <span>answered from the cache</span>
      </p>
      <LineChart
        label="Share of pictures from the cache"
        lines={[{ values: points.map(({ hitShare }) => hitShare) }]}
        most={1}
        format={(value) => `${Math.round(value * 100)} %`}
        caption="hits"
      />
      <AnswerShares answers={status.images.answers} />
    </article>
  )
}

function QueueCard({ status, points }: CardProps) {
  const { waiting, running } = status.images.queue
  return (
    <article className={css.card}>
      <h3>Queue</h3>
      <p className={css.figure}>
        {waiting}
        <span>{`waiting, ${running} at work`}</span>
      </p>
      <LineChart
        label="Jobs in the queue of encoders"
        lines={[
          { values: points.map(({ queue }) => queue.waiting) },
          { values: points.map(({ queue }) => queue.running), tone: 'second' },
        ]}
        least={4}
        format={(value) => String(Math.round(value))}
        caption="jobs"
      />
      <ul className={css.legend}>
        <li>waiting</li>
        <li data-tone="second">at work</li>
      </ul>
    </article>
  )
}

function EncodeCard({ status, points }: CardProps) {
  const { encode } = status.images
  const [half, most] = [quantileMs(encode, 0.5), quantileMs(encode, 0.95)]
  return (
    <article className={css.card}>
      <h3>Encoders</h3>
      <p className={css.figure}>
        {formatTime(half)}
        <span>
          {most === undefined ? 'nothing was encoded yet' : `half of them; 95 of 100 within ${formatMs(most)}`}
        </span>
      </p>
      <LineChart
        label="Time to encode one picture"
        lines={[
          { values: points.map((point) => point.encode.p50Ms) },
          { values: points.map((point) => point.encode.p95Ms), tone: 'second' },
        ]}
        format={formatMs}
        caption="to encode one"
        hasGaps
      />
      <ul className={css.legend}>
        <li>half</li>
        <li data-tone="second">95 of 100</li>
      </ul>
    </article>
  )
}

function Row({ term, value, isBad = false }: { term: string; value: string; isBad?: boolean }) {
  return (
    <div data-bad={isBad}>
      <dt>{term}</dt>
      <dd>{value}</dd>
    </div>
  )
}

function formatTime(ms: number | undefined): string {
  return ms === undefined ? '–' : formatMs(ms)
}

function formatRate(rate: number): string {
  return rate < 9.95 ? String(Number(rate.toFixed(1))) : Math.round(rate).toLocaleString('en-GB')
}

function countOf(count: number): string {
  return `${count.toLocaleString('en-GB')} requests`
}

function formatClock(at: number): string {
  return new Date(at).toISOString().slice(11, 19)
}
