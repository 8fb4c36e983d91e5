import { memo } from 'react'

export default memo(function Kept() {
  return <span>A component with memo</span>
})
