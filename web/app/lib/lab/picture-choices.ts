// The widths and qualities of pictures. One list for portico.config.ts, which allows them, and for the lab, which offers
// them.

export const PICTURE_WIDTHS = [640, 750, 828, 1080, 1200, 1920, 2048, 3840] as const
export const PICTURE_QUALITIES = [50, 60, 75, 85, 95] as const

/** Width of the picture that other sites show beside a link to a page. */
export const SHARED_PICTURE_WIDTH = 1200
