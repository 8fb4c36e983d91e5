import { expect, it } from 'vitest'
import type { Replica } from '../replicas/replicas.ts'
import {
  type AttemptEffect,
  type AttemptEvent,
  type AttemptState,
  newAttempt,
  reduceAttempt,
} from './attempt-machine.ts'
import type { Failure, Stop } from './proxy-errors.ts'

// The machine compares and passes on replicas, and reads no member of a replica.
const one = { name: 'one' } as Replica
const two = { name: 'two' } as Replica

const FRESH = newAttempt(true, undefined)
const SENT: AttemptState = { ...FRESH, at: 'connecting', attempts: 1, replica: one }
const WAITING: AttemptState = { ...SENT, at: 'waiting' }
const POSTED: AttemptState = { ...WAITING, isRepeatable: false }
const DATA: AttemptState = { ...WAITING, build: 'new' }
const ELSEWHERE: AttemptState = { ...DATA, at: 'choosing', after: 'other-build' }
const RESPONDING: AttemptState = { ...WAITING, at: 'responding' }
const DONE: AttemptState = { ...RESPONDING, at: 'done', replica: undefined }
const after = (failure: Failure, attempts = 1): AttemptState => ({ ...FRESH, attempts, after: failure })

const error = new Error('ECONNRESET')
const failed = (failure: Failure): AttemptEvent => ({ kind: 'failed', failure, error })
const response = (status: number, build?: string): AttemptEvent => ({ kind: 'response', status, build })
const chosen = (replica: Replica): AttemptEvent => ({ kind: 'chosen', replica })
const stopped = (stop: Stop): AttemptEvent => ({ kind: 'stopped', stop })

const LATE: Stop = { why: 'late' }
const REFUSED: Stop = { why: 'refused' }
const DISPLACED: Stop = { why: 'overloaded', refusal: 'body-displaced' }
const releaseReplica = (replica: Replica): AttemptEffect => ({ kind: 'release-replica', replica })
const reports = (failure: Failure): AttemptEffect[] => [
  releaseReplica(one),
  { kind: 'report-failure', replica: one, failure, error },
]
const success: AttemptEffect = { kind: 'report-success', replica: one }
const stopTimers: AttemptEffect = { kind: 'stop-timers' }
const awaitReady: AttemptEffect = { kind: 'await-ready-replica' }
const passOn: AttemptEffect[] = [stopTimers, { kind: 'send-response' }]
const respond = (stop: Stop): AttemptEffect[] => [stopTimers, { kind: 'respond', stop }]

type Row = [title: string, AttemptState, AttemptEvent, AttemptState, AttemptEffect[]]

const CHOOSING: Row[] = [
  ['a request that is ready chooses', FRESH, { kind: 'ready' }, FRESH, [{ kind: 'choose' }]],
  [
    'is sent to the chosen replica',
    FRESH,
    chosen(one),
    SENT,
    [{ kind: 'send', replica: one, attempt: 1, isRetry: false }],
  ],
  ['waits where no replica is usable', FRESH, { kind: 'none-usable' }, FRESH, [awaitReady]],
  ['is refused by a limit', FRESH, stopped(DISPLACED), { ...FRESH, at: 'responding' }, respond(DISPLACED)],
  [
    'waits after any failure under development',
    { ...after('broken'), isPatient: true },
    { kind: 'none-usable' },
    { ...after('broken'), isPatient: true },
    [awaitReady],
  ],
  ['ignores what a former replica does', FRESH, { kind: 'ejected' }, FRESH, []],
]

const SENDING: Row[] = [
  [
    'limits the time of a new connection',
    SENT,
    { kind: 'assigned', isConnecting: true },
    SENT,
    [{ kind: 'limit-connecting' }],
  ],
  ['waits on a kept connection', SENT, { kind: 'assigned', isConnecting: false }, WAITING, []],
  ['waits once the connection is made', SENT, { kind: 'connected' }, WAITING, []],
  ['abandons an ejected replica', WAITING, { kind: 'ejected' }, WAITING, [{ kind: 'abandon-replica' }]],
  ['is late', WAITING, stopped(LATE), RESPONDING, respond(LATE)],
  ['passes a response on', WAITING, response(200), RESPONDING, [success, ...passOn]],
  ['is not ready twice', WAITING, { kind: 'ready' }, WAITING, []],
]

const RETRIES: Row[] = [
  ...(['refused', 'broken', 'out'] as const).map(
    (failure): Row => [
      `chooses another replica after one that was ${failure}`,
      WAITING,
      failed(failure),
      after(failure),
      [...reports(failure), { kind: 'choose', except: one }],
    ],
  ),
  [
    'uses the same replica after a stale connection',
    WAITING,
    failed('stale'),
    after('stale'),
    [...reports('stale'), { kind: 'choose', except: one, fallback: one }],
  ],
  [
    'counts a retry',
    after('broken'),
    chosen(two),
    { ...SENT, attempts: 2, replica: two },
    [{ kind: 'send', replica: two, attempt: 2, isRetry: true }],
  ],
  [
    'waits after a refused connection without another replica',
    after('refused'),
    { kind: 'none-usable' },
    after('refused'),
    [awaitReady],
  ],
  ...(['broken', 'out'] as const).map(
    (failure): Row => [
      `gives up without another replica after one that was ${failure}`,
      after(failure),
      { kind: 'none-usable' },
      { ...after(failure), at: 'responding' },
      respond(REFUSED),
    ],
  ),
  [
    'waits after a second refused connection',
    { ...WAITING, attempts: 2 },
    failed('refused'),
    after('refused', 2),
    [...reports('refused'), awaitReady],
  ],
  ...(['broken', 'stale', 'out'] as const).map(
    (failure): Row => [
      `gives up after a second attempt that was ${failure}`,
      { ...WAITING, attempts: 2 },
      failed(failure),
      { ...after(failure, 2), at: 'responding' },
      [...reports(failure), ...respond(REFUSED)],
    ],
  ),
  [
    'waits after any second attempt under development',
    { ...WAITING, attempts: 2, isPatient: true },
    failed('broken'),
    { ...after('broken', 2), isPatient: true },
    [...reports('broken'), awaitReady],
  ],
  [
    'ends after a third attempt',
    { ...WAITING, attempts: 3 },
    failed('refused'),
    { ...after('refused', 3), at: 'responding' },
    [...reports('refused'), ...respond(REFUSED)],
  ],
  ...(['refused', 'broken', 'stale'] as const).map(
    (failure): Row => [
      `never repeats a POST that was ${failure}`,
      POSTED,
      failed(failure),
      { ...after(failure), isRepeatable: false, at: 'responding' },
      [...reports(failure), ...respond(REFUSED)],
    ],
  ),
]

const BUILDS: Row[] = [
  ['passes on data of its build', DATA, response(200, 'new'), { ...DATA, at: 'responding' }, [success, ...passOn]],
  [
    'passes on data of a replica that reports none',
    DATA,
    response(404),
    { ...DATA, at: 'responding' },
    [success, ...passOn],
  ],
  [
    'passes on a response of another build other than 404',
    DATA,
    response(409, 'old'),
    { ...DATA, at: 'responding' },
    [success, ...passOn],
  ],
  [
    'looks for its build after a 404 of another build',
    DATA,
    response(404, 'old'),
    ELSEWHERE,
    [success, { kind: 'choose', except: one, mustServe: true }],
  ],
  [
    'is sent to a replica of its build',
    ELSEWHERE,
    chosen(two),
    { ...DATA, at: 'connecting', attempts: 2, replica: two },
    [{ kind: 'discard-response' }, releaseReplica(one), { kind: 'send', replica: two, attempt: 2, isRetry: false }],
  ],
  [
    'passes the 404 on without such a replica',
    ELSEWHERE,
    { kind: 'none-usable' },
    { ...ELSEWHERE, at: 'responding' },
    passOn,
  ],
  [
    'looks once only',
    { ...DATA, attempts: 2 },
    response(404, 'old'),
    { ...DATA, attempts: 2, at: 'responding' },
    [success, ...passOn],
  ],
]

const ENDS: Row[] = [
  [
    'releases a replica that has sent its whole response',
    RESPONDING,
    { kind: 'response-ended' },
    { ...RESPONDING, replica: undefined },
    [releaseReplica(one)],
  ],
  ['breaks a response off', RESPONDING, stopped(DISPLACED), RESPONDING, [{ kind: 'break-off', stop: DISPLACED }]],
  ['ignores an error behind the response', RESPONDING, failed('broken'), RESPONDING, []],
  ['ignores the end of the replica', RESPONDING, { kind: 'ejected' }, RESPONDING, []],
  [
    'ends with its response',
    RESPONDING,
    { kind: 'closed' },
    DONE,
    [stopTimers, { kind: 'release-body' }, releaseReplica(one)],
  ],
  [
    'ends when the client disconnects',
    WAITING,
    { kind: 'closed' },
    DONE,
    [stopTimers, { kind: 'release-body' }, releaseReplica(one)],
  ],
  [
    'ends while it waits for a replica',
    FRESH,
    { kind: 'closed' },
    { ...FRESH, at: 'done' },
    [stopTimers, { kind: 'release-body' }],
  ],
  ...([{ kind: 'ready' }, response(200), failed('broken'), stopped(LATE), { kind: 'closed' }] as AttemptEvent[]).map(
    (event): Row => [`ignores ${event.kind} at its end`, DONE, event, DONE, []],
  ),
]

it.each([...CHOOSING, ...SENDING, ...RETRIES, ...BUILDS, ...ENDS])(
  'G2 E7 an attempt %s',
  (_title, before, event, state, effects) => {
    const step = reduceAttempt(before, event)
    expect(step.state).toEqual(state)
    expect(step.effects).toEqual(effects)
  },
)
