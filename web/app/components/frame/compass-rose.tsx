// The mark of the atlas: an eight-pointed compass rose in the colour of the text around it.

/** Decoration only; hidden from screen readers. */
export function CompassRose({ size, className }: { size: number; className?: string }) {
  return (
    <svg viewBox="0 0 64 64" width={size} height={size} className={className} aria-hidden="true" focusable="false">
      <circle cx="32" cy="32" r="22" fill="none" stroke="currentColor" strokeWidth="1.6" opacity="0.55" />
      <g fill="none" stroke="currentColor" strokeWidth="1.6" opacity="0.75">
        <path d="M32 32 47 17M32 32 47 47M32 32 17 47M32 32 17 17" />
      </g>
      <path d="M32 2 36.5 27.5 62 32 36.5 36.5 32 62 27.5 36.5 2 32 27.5 27.5Z" fill="currentColor" opacity="0.28" />
      <path
        d="M32 2 36.5 27.5 32 32ZM62 32 36.5 36.5 32 32ZM32 62 27.5 36.5 32 32ZM2 32 27.5 27.5 32 32Z"
        fill="currentColor"
      />
    </svg>
  )
}
