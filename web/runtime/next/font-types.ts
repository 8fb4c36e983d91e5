// What the functions of `next/font` return.

export interface NextFont {
  className: string
  /** A class that sets the custom property of the option `variable`. */
  variable: string
  style: { fontFamily: string; fontWeight?: number; fontStyle?: string }
}

export function notReplaced(module: string): never {
  throw new Error(
    `${module}: call the function at the top of a module, with an object literal: const font = localFont({ … })`,
  )
}
