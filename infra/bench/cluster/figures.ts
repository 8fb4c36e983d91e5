// What the processes of a cluster cost each other.

/** What feed-and-probes.ts prints. Times of `…Ms` are processor time, unless another comment says so. */
export interface ClusterFigures {
  measured: string
  node: string
  cores: number
  /** Load average of the machine before the run: above 0.5 other programs ran, and times of the clock are too long. */
  loadBefore: number
  gateways: number
  replicas: number
  probes: ProbeFigures
  bookkeeping: BookkeepingFigures
  reads: ReadFigures
  messages: MessageFigures
}

/** One probe over HTTP. */
export interface ProbeFigures {
  gateways: number
  replicas: number
  gatewayMs: number
  replicaMs: number
}

/** All gateways with all replicas, where a probe is a function. */
export interface BookkeepingFigures {
  probesPerSecond: number
  probeMs: number
  /** By the clock: until every gateway knew every replica; until every gateway knew that one replica stops. */
  allReadyMs: number
  stopKnownMs: number
}

/** One read of the marks. */
export interface ReadFigures {
  processes: number
  perSecond: number
  readMs: number
  redisMs: number
}

/** One message of a change to one process; `redisMs` is of a whole change. */
export interface MessageFigures {
  processes: number
  changes: number
  confirmedShare: number
  publisherMs: number
  receiverMs: number
  redisMs: number
  /** By the clock, median and 95th percentile: until every process had confirmed. */
  allConfirmedMs: number
  allConfirmedP95Ms: number
  /** By the clock: until every process had read a change without a message. */
  marksOnlyMs: number
}
