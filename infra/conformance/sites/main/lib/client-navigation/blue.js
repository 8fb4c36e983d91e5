import { css } from 'styled-jsx/css'

export const blue = css.resolve`
  p {
    color: blue;
  }
`
