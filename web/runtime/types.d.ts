// Ambient types of what an app folder may import besides code. Use: /// <reference types="portico/types" />

/** Marks a module as server code: the build refuses it in the browser. */
declare module 'server-only'
/** Marks a module as browser code. The server renders it too. */
declare module 'client-only'

declare module '*.module.css' {
  const classes: Readonly<Record<string, string>>
  export default classes
}
declare module '*.css'
declare module '*.module.scss' {
  const classes: Readonly<Record<string, string>>
  export default classes
}
declare module '*.module.sass' {
  const classes: Readonly<Record<string, string>>
  export default classes
}
declare module '*.scss'
declare module '*.sass'
declare module '*.md' {
  const page: {
    attributes: Record<string, unknown>
    html: string
    headings: { depth: number; id: string; text: string }[]
  }
  export default page
  /** The plain text by heading, for a search; the id is empty before the first heading. */
  export const sections: { id: string; text: string }[]
}
declare module '*.jpg' {
  const image: import('./react/page-types.ts').StaticImage
  export default image
}
declare module '*.jpeg' {
  const image: import('./react/page-types.ts').StaticImage
  export default image
}
declare module '*.png' {
  const image: import('./react/page-types.ts').StaticImage
  export default image
}
declare module '*.webp' {
  const image: import('./react/page-types.ts').StaticImage
  export default image
}
declare module '*.avif' {
  const image: import('./react/page-types.ts').StaticImage
  export default image
}
declare module '*.gif' {
  const image: import('./react/page-types.ts').StaticImage
  export default image
}
declare module '*.svg' {
  const image: import('./react/page-types.ts').StaticImage
  export default image
}

// Files by their address.
declare module '*.woff2' {
  const url: string
  export default url
}
declare module '*.woff' {
  const url: string
  export default url
}
declare module '*.ttf' {
  const url: string
  export default url
}
declare module '*.otf' {
  const url: string
  export default url
}
declare module '*.mp4' {
  const url: string
  export default url
}
declare module '*.webm' {
  const url: string
  export default url
}
declare module '*.mov' {
  const url: string
  export default url
}
declare module '*.mp3' {
  const url: string
  export default url
}
declare module '*.m4a' {
  const url: string
  export default url
}
declare module '*.aac' {
  const url: string
  export default url
}
declare module '*.ogg' {
  const url: string
  export default url
}
declare module '*.opus' {
  const url: string
  export default url
}
declare module '*.wav' {
  const url: string
  export default url
}
declare module '*.flac' {
  const url: string
  export default url
}
declare module '*.vtt' {
  const url: string
  export default url
}
declare module '*.pdf' {
  const url: string
  export default url
}

// Any file, by its text, its address, as a data URL, or as a worker.
declare module '*?raw' {
  const text: string
  export default text
}
declare module '*?url' {
  const url: string
  export default url
}
declare module '*?inline' {
  const text: string
  export default text
}
declare module '*?worker' {
  const create: new (options?: { name?: string }) => Worker
  export default create
}
declare module '*?sharedworker' {
  const create: new (options?: { name?: string }) => SharedWorker
  export default create
}

interface ImportMeta {
  glob<T = unknown>(
    pattern: string | string[],
    options: { eager: true; import?: string; query?: string },
  ): Record<string, T>
  glob<T = unknown>(
    pattern: string | string[],
    options?: { eager?: false; import?: string; query?: string },
  ): Record<string, () => Promise<T>>
}
