// Folders that a system's own packages fill: what stands there under a name is what the system means by it.

const PROGRAM =
  /^(?:\/bin|\/usr\/bin|\/usr\/local\/bin|\/sbin|\/usr\/sbin|\/opt\/homebrew\/bin|\/run\/current-system\/sw\/bin)\/[^/]+$/;

export const isSystemProgram = (path: string): boolean => PROGRAM.test(path);
