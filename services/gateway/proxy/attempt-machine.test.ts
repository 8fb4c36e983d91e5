import type { ConnectionFault } from '@portico/shared/kit/inner/faults.ts'
import { expect, it } from 'vitest'
import type { Replica } from '../replicas/service-replicas.ts'
import {
  type AttemptEffect,
  type AttemptEvent,
  type AttemptState,
  newAttempt,
  reduceAttempt,
} from './attempt-machine.ts'
import type { Stop } from './proxy-errors.ts'

// The machine compares and passes on replicas, and reads no member of a replica.
const one = { name: 'one' } as Replica
const two = { name: 'two' } as Replica

const FRESH = newAttempt(true, undefined)
const CONNECTING: AttemptState = { ...FRESH, at: 'connecting', attempts: 1, hasBegun: true, replica: one }
const WAITING: AttemptState = { ...CONNECTING, at: 'waiting' }
const POSTED: AttemptState = { ...WAITING, isRepeatable: false }
const DATA: AttemptState = { ...WAITING, build: 'new' }
const ELSEWHERE: AttemptState = { ...DATA, at: 'choosing', isElsewhere: true }
const RESPONDING: AttemptState = { ...WAITING, at: 'responding' }
const DONE: AttemptState = { ...RESPONDING, at: 'done', replica: undefined }
/** Chooses again. */
const again = (attempts = 1): AttemptState => ({ ...FRESH, attempts, hasBegun: true })

const error = new Error('ECONNRESET')
const failed = (failure: ConnectionFault): AttemptEvent => ({ kind: 'failed', failure, error })
const response = (status: number, build?: string): AttemptEvent => ({ kind: 'response', status, build })
const chosen = (replica: Replica): AttemptEvent => ({ kind: 'chosen', replica })
const stopped = (stop: Stop): AttemptEvent => ({ kind: 'stopped', stop })

const FROZEN: AttemptEvent = { kind: 'ejected', why: 'frozen' }
const GIVEN_UP: AttemptEvent = { kind: 'ejected', why: 'given-up' }
const BUSY: Stop = { why: 'overloaded' }
const LATE: Stop = { why: 'late' }
const REFUSED: Stop = { why: 'refused' }
const DISPLACED: Stop = { why: 'overloaded', refusal: 'body-displaced' }
const releaseReplica = (replica: Replica): AttemptEffect => ({ kind: 'release-replica', replica })
const reports = (failure: ConnectionFault): AttemptEffect[] => [
  releaseReplica(one),
  { kind: 'report-failure', replica: one, failure, error },
]
const success: AttemptEffect = { kind: 'report-success', replica: one }
const abandon: AttemptEffect = { kind: 'abandon-replica' }
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
    CONNECTING,
    [{ kind: 'send', replica: one, attempt: 1, isFirst: true, isRetry: false }],
  ],
  ['waits where no replica is usable', FRESH, { kind: 'none-usable' }, FRESH, [awaitReady]],
  ['is refused by a limit', FRESH, stopped(DISPLACED), { ...FRESH, at: 'responding' }, respond(DISPLACED)],
  ['ignores what a former replica does', FRESH, FROZEN, FRESH, []],
]

const SENDING: Row[] = [
  ['waits once there is a connection', CONNECTING, { kind: 'connected' }, WAITING, []],
  ['abandons a frozen replica', WAITING, FROZEN, WAITING, [abandon]],
  ['leaves it to the connection that is not made', CONNECTING, FROZEN, CONNECTING, []],
  ['never abandons a POST that was sent', POSTED, FROZEN, POSTED, []],
  ['is refused where no other replica is ready', WAITING, GIVEN_UP, { ...WAITING, at: 'responding' }, respond(BUSY)],
  ['a POST, too, which is not sent again', POSTED, GIVEN_UP, { ...POSTED, at: 'responding' }, respond(BUSY)],
  ['is late', WAITING, stopped(LATE), RESPONDING, respond(LATE)],
  ['passes a response on', WAITING, response(200), RESPONDING, [success, ...passOn]],
  ['is not ready twice', WAITING, { kind: 'ready' }, WAITING, []],
]

const choose: AttemptEffect = { kind: 'choose', except: one }
const chooseOrSame: AttemptEffect = { kind: 'choose', except: one, orSame: true }

const RETRIES: Row[] = [
  ...(['refused', 'broken', 'out'] as const).map(
    (failure): Row => [
      `chooses another replica after one that was ${failure}`,
      WAITING,
      failed(failure),
      again(),
      [...reports(failure), choose],
    ],
  ),
  [
    'uses the same replica after a stale connection',
    WAITING,
    failed('stale'),
    { ...again(), stale: one },
    [...reports('stale'), chooseOrSame],
  ],
  [
    'does not count a new connection that breaks after a stale one to the same replica',
    { ...WAITING, attempts: 2, stale: one },
    failed('broken'),
    again(),
    [...reports('broken'), choose],
  ],
  [
    'counts a retry',
    again(),
    chosen(two),
    { ...CONNECTING, attempts: 2, replica: two },
    [{ kind: 'send', replica: two, attempt: 2, isFirst: false, isRetry: true }],
  ],
  [
    'waits where no other replica is usable, after any failure',
    again(),
    { kind: 'none-usable' },
    again(),
    [awaitReady],
  ],
  ['does not count a refused connection', CONNECTING, failed('refused'), again(0), [...reports('refused'), choose]],
  [
    'does not count a connection that was left',
    { ...CONNECTING, isRepeatable: false },
    failed('out'),
    { ...again(0), isRepeatable: false },
    [...reports('out'), choose],
  ],
  [
    'is sent again after a refused connection as often as replicas refuse',
    { ...CONNECTING, attempts: 2 },
    failed('refused'),
    again(1),
    [...reports('refused'), choose],
  ],
  ['counts a connection that failed otherwise', CONNECTING, failed('broken'), again(), [...reports('broken'), choose]],
  ...(['refused', 'broken', 'stale', 'out', 'head-too-large'] as const).map((failure): Row => {
    const attempts = failure === 'head-too-large' ? 1 : 2
    return [
      `gives up after attempt ${attempts} that was ${failure} once it was sent`,
      { ...WAITING, attempts },
      failed(failure),
      { ...again(attempts), at: 'responding' },
      [...reports(failure), ...respond(REFUSED)],
    ]
  }),
  [
    'waits after any second attempt under development',
    { ...WAITING, attempts: 2, isPatient: true },
    failed('broken'),
    { ...again(2), isPatient: true },
    [...reports('broken'), awaitReady],
  ],
  [
    'ends after a third attempt under development',
    { ...WAITING, attempts: 3, isPatient: true },
    failed('broken'),
    { ...again(3), isPatient: true, at: 'responding' },
    [...reports('broken'), ...respond(REFUSED)],
  ],
  ...(['refused', 'broken', 'stale'] as const).map(
    (failure): Row => [
      `never repeats a POST that was ${failure} on a connection that was made`,
      POSTED,
      failed(failure),
      { ...again(), isRepeatable: false, at: 'responding' },
      [...reports(failure), ...respond(REFUSED)],
    ],
  ),
  [
    'sends a POST to another replica whose connection was refused',
    { ...CONNECTING, isRepeatable: false },
    failed('refused'),
    { ...again(0), isRepeatable: false },
    [...reports('refused'), choose],
  ],
  [
    'lets such a POST wait',
    { ...again(0), isRepeatable: false },
    { kind: 'none-usable' },
    { ...again(0), isRepeatable: false },
    [awaitReady],
  ],
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
    [
      { kind: 'discard-response' },
      releaseReplica(one),
      { kind: 'send', replica: two, attempt: 2, isFirst: false, isRetry: false },
    ],
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
  ['ignores the end of the replica', RESPONDING, FROZEN, RESPONDING, []],
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
