// lib/mdx.d.ts
declare module '*.mdx' {
  import type { ComponentType } from 'react'

  const Content: ComponentType
  export default Content
}
