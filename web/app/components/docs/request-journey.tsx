// The drawing of "How a request travels": browser, gateway and the services behind it, as a chart with courses.

import css from './request-journey.module.css'

interface Station {
  x: number
  y: number
  name: string
  duty: string
}

const SERVICES: Station[] = [
  { x: 486, y: 24, name: 'renderer', duty: 'pages and page data' },
  { x: 486, y: 122, name: 'images', duty: 'pictures at the right size' },
  { x: 486, y: 220, name: 'actions', duty: 'forms and /api' },
]
const BOX = { width: 210, height: 66 }

export function RequestJourney() {
  return (
    <figure className={css.figure}>
      <svg viewBox="0 0 720 330" role="img" aria-labelledby="journey-title journey-text">
        <title id="journey-title">The way of a request</title>
        <desc id="journey-text">
          The browser talks to the gateway only. The gateway serves hashed and public files itself and passes pages and
          page data to the renderer, pictures to the images service, forms and API paths to the actions service. The
          renderer reads data from the actions service; the actions service asks the renderer for a fresh page after a
          form; the images service fetches pictures of the site from the gateway.
        </desc>
        <g className={css.grid}>
          <path d="M0 55h720M0 155h720M0 255h720M90 0v330M290 0v330M590 0v330" />
        </g>
        <g className={css.course}>
          <path d="M142 155h68" />
          <path d="M370 141C420 120 430 57 480 57" />
          <path d="M370 155h110" />
          <path d="M370 169c50 21 60 84 110 84" />
          <path d="M290 196v50" />
        </g>
        <g className={css.inner}>
          <path d="M696 57c18 50 18 146 0 196" />
        </g>
        <g className={css.heads}>
          <path d="m202 150 9 5-9 5zM472 52l9 5-9 5zM472 150l9 5-9 5zM472 248l9 5-9 5zM285 240l5 9 5-9z" />
          <path d="m692 66 4-10 6 8zM702 246l-6 8-4-10z" />
        </g>
        <Box x={16} y={122} width={126} name="browser" duty="one origin" />
        <Box x={210} y={114} width={160} height={82} name="gateway" duty="the only door" strong />
        <Box x={210} y={250} width={160} name="files" duty="hashed and public" />
        {SERVICES.map((station) => (
          <Box key={station.name} {...station} width={BOX.width} />
        ))}
      </svg>
      <figcaption>
        Only the gateway can be reached from outside. The dashed course is the one between services.
      </figcaption>
    </figure>
  )
}

function Box(box: Station & { width: number; height?: number; strong?: boolean }) {
  const height = box.height ?? BOX.height
  const middle = box.x + box.width / 2
  return (
    <g className={box.strong ? css.strong : css.box}>
      <rect x={box.x} y={box.y} width={box.width} height={height} rx="3" />
      <text x={middle} y={box.y + height / 2 - 3} className={css.name}>
        {box.name}
      </text>
      <text x={middle} y={box.y + height / 2 + 17} className={css.duty}>
        {box.duty}
      </text>
    </g>
  )
}
