export const name = 'meadow'
