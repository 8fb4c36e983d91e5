import { forwardRef } from 'react'

export default forwardRef<HTMLSpanElement>(function WithRef(_, ref) {
  return <span ref={ref}>A component with a ref</span>
})
