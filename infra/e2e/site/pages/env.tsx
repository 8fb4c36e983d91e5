// Values of the environment that the browser may read.

import { publicEnv } from 'portico'

export default function Env() {
  const limit = publicEnv('FIXTURE_LIMIT')
  return (
    <>
      <title>Environment · Fixture</title>
      <h1>Environment</h1>
      <p id="greeting">{publicEnv('FIXTURE_GREETING')}</p>
      <p id="limit">{`${typeof limit} ${limit}`}</p>
    </>
  )
}
