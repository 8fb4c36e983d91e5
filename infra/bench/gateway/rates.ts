// Requests a second and processor time a request of several addresses, measured in turns, so that what else the machine
// does meets all of them.

import type { ChildProcess } from 'node:child_process'
import { familyOf, median, processorMs, requestsPerSecond } from '../processes.ts'

export interface Target {
  name: string
  url: string
  /** The process whose time, with that of its children, is counted; undefined for one that runs elsewhere. */
  process: ChildProcess | undefined
  /** Accept-Encoding of the requests. */
  accepts?: string
}

interface Figures {
  /** Requests a second. */
  rate: number
  /** Microseconds of processor time a request: says more than the rate on a machine that others use, too. */
  cpu: number
}

export interface Turns {
  rounds: number
  /** Seconds of one turn. */
  seconds: number
  /** Seconds before the first turn: long enough for the optimising compiler. */
  warmSeconds: number
  connections: number
}

/** The options of a command that measures in turns. */
export const TURN_OPTIONS = {
  rounds: { type: 'string', default: '5' },
  seconds: { type: 'string', default: '3' },
  help: { type: 'boolean', default: false },
} as const

/** Turns with 16 connections, of the options of a command. */
export function turnsOf(given: { rounds: string; seconds: string }): Turns {
  const seconds = Number(given.seconds)
  return { rounds: Number(given.rounds), seconds, warmSeconds: Math.min(seconds, 2), connections: 16 }
}

function spentMs(id: number | undefined): number {
  if (id === undefined) return Number.NaN
  return familyOf(id).reduce((sum, each) => sum + processorMs(each), 0)
}

/** Medians of the rounds, by the name of the target. */
export function measureInTurns(targets: readonly Target[], turns: Turns): (name: string, of: keyof Figures) => number {
  const { rounds, seconds, warmSeconds, connections } = turns
  const measure = ({ url, accepts }: Target, length: number) =>
    requestsPerSecond(url, {
      connections,
      seconds: length,
      headers: accepts === undefined ? {} : { 'accept-encoding': accepts },
    })
  for (const target of targets) measure(target, warmSeconds)
  const results = new Map(targets.map(({ name }) => [name, [] as Figures[]]))
  for (let round = 0; round < rounds; round++)
    for (const target of targets) {
      const id = target.process?.pid
      const before = spentMs(id)
      const rate = measure(target, seconds)
      results.get(target.name)?.push({ rate, cpu: (1000 * (spentMs(id) - before)) / (rate * seconds) })
    }
  return (name, of) => median((results.get(name) ?? []).map((figures) => figures[of]))
}
