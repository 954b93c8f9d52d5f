/* SPDX-License-Identifier: GPL-3.0-or-later */
/* NVIDIA's management library as far as pddt calls it: two accelerators, of which the second does not tell its
 * power. NVML_STAND_IN: "hang" never answers, "refuse" has no driver. */
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#define NOT_SUPPORTED 3
#define DRIVER_NOT_LOADED 9

int nvmlInit_v2 (void);
int nvmlShutdown (void);
int nvmlDeviceGetCount_v2 (unsigned *ret_n);
int nvmlDeviceGetHandleByIndex_v2 (unsigned index, void **ret_device);
int nvmlDeviceGetUtilizationRates (void *device, unsigned ret_use[2]);
int nvmlDeviceGetMemoryInfo (void *device, unsigned long long ret_memory[3]);
int nvmlDeviceGetPowerUsage (void *device, unsigned *ret_mw);

static int
is_to (const char *what)
{
    const char *given = getenv ("NVML_STAND_IN");

    return given != NULL && strcmp (given, what) == 0;
}

int
nvmlInit_v2 (void)
{
    return is_to ("refuse") ? DRIVER_NOT_LOADED : 0;
}

int
nvmlShutdown (void)
{
    return 0;
}

int
nvmlDeviceGetCount_v2 (unsigned *ret_n)
{
    while (is_to ("hang")) {
        pause ();
    }
    *ret_n = 2;
    return 0;
}

int
nvmlDeviceGetHandleByIndex_v2 (unsigned index, void **ret_device)
{
    static char devices[2];

    *ret_device = &devices[index];
    return 0;
}

static unsigned
get_index (void *device)
{
    void *first;

    nvmlDeviceGetHandleByIndex_v2 (0, &first);
    return device == first ? 0 : 1;
}

int
nvmlDeviceGetUtilizationRates (void *device, unsigned ret_use[2])
{
    ret_use[0] = get_index (device) == 0 ? 90 : 31;
    ret_use[1] = 5;
    return 0;
}

int
nvmlDeviceGetMemoryInfo (void *device, unsigned long long ret_memory[3])
{
    ret_memory[0] = 16ull << 30;
    ret_memory[2] = (get_index (device) + 1ull) << 30;
    ret_memory[1] = ret_memory[0] - ret_memory[2];
    return 0;
}

int
nvmlDeviceGetPowerUsage (void *device, unsigned *ret_mw)
{
    if (get_index (device) == 1) {
        return NOT_SUPPORTED;
    }
    *ret_mw = 123456;
    return 0;
}
