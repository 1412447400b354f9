/* The version of the simulator: results name it. */
#ifndef BASE_VERSION_H
#define BASE_VERSION_H

#define SSD_VERSION "0.1"

#endif
